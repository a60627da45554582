// The shapes that go over the wire, by their names. They are made from the server's own description
// (`openapi.json`, `npm run types`); only what that format cannot say is written here.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Side = Schemas['Side'];
/** A value for each side. */
export interface Both<T> {
  white: T;
  black: T;
}
export type Refusal = Schemas['Refusal'];

export type Choice = Schemas['Choice'];
export type Customs = Schemas['Customs'];
export type Family = Schemas['Family'];
export type VariantCard = Schemas['VariantCard'];
export type VariantDetail = Schemas['VariantDetail'];
export type PieceInfo = Schemas['PieceInfo'];
export type Region = Schemas['Region'];
export type SetupInfo = Schemas['SetupInfo'];
export type Looks = VariantDetail['looks']['white'];
export type ReachRequest = Schemas['ReachRequest'];
export type ReachAnswer = Schemas['ReachAnswer'];
export type Target = Schemas['Target'];
export type TargetsAnswer = Schemas['TargetsAnswer'];
export type TargetsRequest = Schemas['TargetsRequest'];
export type RulesText = Schemas['RulesText'];
export type Chapter = Schemas['Chapter'];
export type Example = Schemas['Example'];
export type LessonCard = Schemas['LessonCard'];
export type LessonDetail = Schemas['LessonDetail'];
export type AttemptNow = Schemas['AttemptNow'];
export type LastingAct = Schemas['LastingAct'];
export type StateLetter = Schemas['StateLetter'];

export type PositionRequest = Schemas['PositionRequest'];
export type PositionAnswer = Schemas['PositionAnswer'];
export type TablebaseAnswer = Schemas['TablebaseAnswer'];
export type TableVerdict = Schemas['TableVerdict'];
export type TableMove = Schemas['TableMove'];
export type LegalMove = Schemas['LegalMove'];
export type PgnRequest = Schemas['PgnRequest'];
export type PgnAnswer = Schemas['PgnAnswer'];
export type PgnMove = Schemas['PgnMove'];
export type AnalysisLine = Schemas['AnalysisLine'];
export type ReviewState = Schemas['ReviewState'];
export type Review = Schemas['Review'];
export type ReviewMove = Review['moves'][number];
export type ReviewFault = Schemas['ReviewFault'];
export type ReviewMoment = Schemas['ReviewMoment'];
export type TryAnswer = Schemas['TryAnswer'];
export type AnalyseQuestion = Schemas['AnalyseQuestion'];

export type Me = Schemas['Me'];
export type NewTournament = Schemas['NewTournament'];
export type TieBreak = Schemas['TieBreak'];
export type TournamentCard = Schemas['TournamentCard'];
export type TournamentGames = Schemas['TournamentGames'];
export type TournamentMade = Schemas['TournamentMade'];
export type TournamentNow = Schemas['TournamentNow'];
export type Tournaments = Schemas['Tournaments'];
export type Ballot = Schemas['Ballot'];
export type NewVote = Schemas['NewVote'];
export type VoteCard = Schemas['VoteCard'];
export type VoteMade = Schemas['VoteMade'];
export type VoteNow = Schemas['VoteNow'];
export type Votes = Schemas['Votes'];
export type Account = Schemas['Account'];
export type AccountMade = Schemas['AccountMade'];
export type Codes = Schemas['Codes'];
export type TokenMade = Schemas['TokenMade'];
export type PasskeyQuestion = Schemas['PasskeyQuestion'];

export type GameRatings = Schemas['GameRatings'];
export type GameRating = NonNullable<GameRatings['players']['white']>;
export type Profile = Schemas['Profile'];
export type RatingNow = Schemas['RatingNow'];
export type RatingPoint = Schemas['RatingPoint'];
export type RankedPlayer = Schemas['RankedPlayer'];

export type Notice = Schemas['Notice'];
export type NoticeKind = Schemas['NoticeKind'];
export type NoticeSettings = Schemas['NoticeSettings'];
export type NoticeWishes = Schemas['NoticeWishes'];

export type Vacation = Schemas['Vacation'];
export type Plan = Schemas['Plan'];

export type Announcement = Schemas['Announcement'];
export type NewReport = Schemas['NewReport'];
export type OwnReport = Schemas['OwnReport'];
export type ReportReason = Schemas['ReportReason'];
export type Report = Schemas['Report'];
export type ReportPage = Schemas['ReportPage'];
export type Subject = Schemas['Subject'];
export type Ban = Schemas['Ban'];
export type BanKind = Schemas['BanKind'];
export type BanPage = Schemas['BanPage'];
export type AccountPage = Schemas['AccountPage'];
export type AccountListed = Schemas['AccountListed'];
export type AccountSeen = Schemas['AccountSeen'];
export type LogEntry = Schemas['LogEntry'];
export type LogPage = Schemas['LogPage'];
export type ChatSeen = Schemas['ChatSeen'];
export type Moderating = Schemas['Moderating'];
export type ModerationAct = Schemas['ModerationAct'];
export type NodeNow = Schemas['NodeNow'];
export type NodesNow = Schemas['NodesNow'];
export type ActDone = Schemas['ActDone'];

export type NewSeek = Schemas['NewSeek'];
export type Opponents = Schemas['Opponents'];
export type Seek = Schemas['Seek'];
export type SeekMade = Schemas['SeekMade'];
export type Paired = Schemas['Paired'];
export type SeenPerson = Schemas['SeenPerson'];
export type NewChallenge = Schemas['NewChallenge'];
export type Challenge = Schemas['Challenge'];
export type Challenges = Schemas['Challenges'];
export type DeclineReason = Schemas['DeclineReason'];
export type BlockedPerson = Schemas['BlockedPerson'];
export type ArchivePage = Schemas['ArchivePage'];
export type ArchivedGame = Schemas['ArchivedGame'];
export type RunningPage = Schemas['RunningPage'];
export type RunningGame = Schemas['RunningGame'];
export type WatchedBoard = Schemas['WatchedBoard'];
export type WatchersLine = Schemas['WatchersLine'];
export type FollowedPerson = Schemas['FollowedPerson'];
export type MutedPerson = Schemas['MutedPerson'];
export type ResultsOfGame = Schemas['ResultsOfGame'];
export type NewGame = Schemas['NewGame'];
export type GameMade = Schemas['GameMade'];
export type GameCard = Schemas['GameCard'];
export type GameResult = Schemas['GameResult'];
export type Stage = Schemas['Stage'];
export type Player = Now['players']['white'];
export type Played = Schemas['Played'];
export type Time = Clocks['times']['white'];
export type Clocks = Schemas['Clocks'];
export type CustomsNow = Schemas['CustomsNow'];
export type CustomsQuestion = Schemas['CustomsQuestion'];
export type Counsel = NonNullable<Now['counsel']>['white'];
export type ChatLine = Schemas['ChatLine'];
export type Now = Schemas['Now'];
export type Snapshot = Schemas['Snapshot'];

export type ClientMessage = Schemas['ClientMessage'];
export type ServerMessage = Schemas['ServerMessage'];
