/** What a terminal obeys, or what hides or turns the text around it: controls, formats, line separators, lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The text with such characters written out as `\u001b`, so that a line says what it holds and stays one line. */
export function escapeControls(text: string): string {
  return text.replaceAll(UNSEEN, escaped);
}

/** The same for JSON on one line: it stays the same JSON. */
export function escapeJson(json: string): string {
  return json.replaceAll(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, escaped);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
