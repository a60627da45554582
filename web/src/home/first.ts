// Where somebody who knows none of the games begins.

/** The game shown and offered first. */
export const FIRST_GAME = 'citadel9';

/** Where "Learn a first game" leads: the lesson that begins that game's course, on the board at once. */
export const FIRST_LESSON = `/learn/${FIRST_GAME}/five-minutes`;
