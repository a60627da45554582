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
export type Account = Schemas['Account'];
export type AccountMade = Schemas['AccountMade'];
export type Codes = Schemas['Codes'];
export type PasskeyQuestion = Schemas['PasskeyQuestion'];

export type GameRatings = Schemas['GameRatings'];
export type GameRating = NonNullable<GameRatings['players']['white']>;
export type Profile = Schemas['Profile'];
export type RatingNow = Schemas['RatingNow'];
export type RatingPoint = Schemas['RatingPoint'];
export type RankedPlayer = Schemas['RankedPlayer'];
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
