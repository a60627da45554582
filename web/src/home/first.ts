// Where somebody who knows none of the games begins.

/** The game shown and offered first. */
export const FIRST_GAME = 'citadel9';

/** Where "Learn a first game" leads. */
export const FIRST_LESSON = `/rules/${FIRST_GAME}`;
