/** Map from plain characters to their raised or lowered forms. Both strings have the same order, one UTF-16 unit per character. */
function scriptOf(plain: string, written: string): ReadonlyMap<string, string> {
  return new Map(plain.split('').map((character, index) => [character, written.charAt(index)]));
}

const SCRIPTS = {
  sup: scriptOf('0123456789+-=()abcdefghijklmnoprstuvwxyz', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ'),
  sub: scriptOf('0123456789+-=()aehijklmnoprstuvx', '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ'),
} as const;

/** A text in superscript (`sup`) or subscript (`sub`) characters; null if Unicode does not have all of them. */
export function inUnicodeScript(text: string, script: keyof typeof SCRIPTS): string | null {
  const written = Array.from(text.trim(), (character) => SCRIPTS[script].get(character));
  return written.length > 0 && written.every((character) => character !== undefined) ? written.join('') : null;
}
