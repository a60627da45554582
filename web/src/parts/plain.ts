// What the server says of a move, a game or a position that it cannot take, in plain words for people. What is not
// known here is shown as it came.

/** What is written like a move, whether or not it can be played: `Nf3`, `exd5`, `Rae12`, `b8=Q`, `O-O`. */
const LIKE_A_MOVE = /^(?:[A-Z]?[a-p]?\d{0,2}[x-]?[a-p]\d{1,2}(?:=?[A-Za-z])?|[O0]-[O0](?:-[O0])?)[+#]?$/;

/** Why a move cannot be played. */
export function plainMove(message: string): string {
  const form = /`([^`]*)` is no move/.exec(message);
  if (form && LIKE_A_MOVE.test(form[1]!)) return `“${form[1]}” cannot be played here.`;
  if (form) return `“${form[1]}” is not a move. Write it as Nf3, exd5 or e2e4.`;
  const several = /`([^`]*)` could be (.+)$/.exec(message);
  if (several) return `“${several[1]}” could mean ${several[2]}. Say which, by its two squares.`;
  const illegal = /`([^`]*)` (?:is not legal|fits no legal)/.exec(message);
  if (illegal) return `“${illegal[1]}” cannot be played here.`;
  return sentence(message);
}

/** Why a game cannot be read. */
export function plainPgn(message: string): string {
  const move = /^move (\d+)\.(\.\.)? (.*)$/.exec(message);
  if (move)
    return `Move ${move[1]} of ${move[2] ? 'the second side' : 'the first side'}: ${plainMove(move[3]!)}`;
  const place = /^PGN: line (\d+), column (\d+): (.*)$/.exec(message);
  if (!place) return sentence(message);
  const [, line, column, reason] = place;
  const where = `Line ${line}, character ${column}`;
  const known = REASONS.find(([pattern]) => pattern.test(reason!));
  return known ? `${where}: ${known[1]}` : `${where}: ${sentence(reason!)}`;
}

const REASONS: [RegExp, string][] = [
  [/^the line ends within a tag pair/, 'a line in square brackets is not closed with "].'],
  [/^the comment that begins here/, 'a comment begins here that is never closed with }.'],
  [/^the variation that begins here/, 'a bracket opens here that is never closed.'],
  [/^found \) outside/, 'a bracket closes here that was never opened.'],
  [/^found a variation before any move/, 'moves in brackets stand before the move they belong to.'],
  [/expected the result of the game/, 'the game has no result at its end. Add 1-0, 0-1, 1/2-1/2 or *.'],
  [/^found no game/, 'there is no game in this text.'],
  [/^found more text after the game/, 'more follows after the end of the game. Bring in one game at a time.'],
];

/** Begins with a capital and ends with a stop. */
export function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
