/** Something that the person at the terminal has to do; the message says what. */
export class SetupError extends Error {}
