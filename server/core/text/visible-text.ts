/**
 * Sequences that colour, move or link in a terminal (ECMA-48: CSI, OSC and the short ones). Node's
 * stripVTControlCharacters needs half a minute for 200,000 characters of `ESC ]`.
 */
const TERMINAL =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  /\u001b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)|\u001b[ -/]{0,8}[0-~]/g;

/** C0 and C1 controls and DEL, except tab, line feed and carriage return. */
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Flags of regions of a country are written with tag characters; emoji fonts have these three (UTS #51, annex C.1). */
const FLAGS = ['gbeng', 'gbsct', 'gbwls'].map(
  (region) =>
    `\u{1F3F4}${Array.from(region, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')}\u{E007F}`,
);
const FLAG_OR_TAGS = new RegExp(`${FLAGS.join('|')}|[\\u{E0000}-\\u{E007F}]+`, 'gu');

/**
 * Marks that change the order of the text around them, so that it displays differently than it is written
 * (CVE-2021-42574). The simple marks LRM, RLM and ALM stay: Arabic and Hebrew need them.
 */
const BIDI = /[\u202A-\u202E\u2066-\u2069]/g;

/** Invisible operators, deprecated format characters, interlinear marks, a byte order mark. */
const FORMAT = /[\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB\u{1D173}-\u{1D17A}]/gu;

/** Runs of variation selectors, which can hide bytes. A single one is part of an emoji or a Han character and stays. */
const VARIATIONS = /([\uFE00-\uFE0F\u{E0100}-\u{E01EF}])[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]+/gu;
/**
 * Runs of three or more zero-width characters, which can hide bytes, too. Indic scripts, Persian, Thai and emoji use them
 * singly or in pairs.
 */
const ZERO_WIDTHS = /([\u200B-\u200D])[\u200B-\u200D]{2,}/g;

/** True if a text shows anything: not only spaces, controls and characters without a glyph (zero-width, direction). */
export function hasVisibleText(text: string): boolean {
  return /[^\s\p{Z}\p{Cc}\p{Cf}]/u.test(text);
}

/**
 * Removes from an untrusted text what a person would not see but a model reads: control characters (complete terminal
 * sequences), unpaired surrogates, and the invisible characters that can hide instructions: Unicode tags ("ASCII
 * smuggling"), direction changes, runs of variation selectors and of zero-width characters. Characters that languages
 * and emoji need stay.
 */
export function visibleText(text: string): string {
  return text
    .replaceAll(TERMINAL, '')
    .replaceAll(CONTROLS, '')
    .toWellFormed()
    .replaceAll(FLAG_OR_TAGS, (found) => (FLAGS.includes(found) ? found : ''))
    .replaceAll(BIDI, '')
    .replaceAll(FORMAT, '')
    .replaceAll(VARIATIONS, '$1')
    .replaceAll(ZERO_WIDTHS, '$1');
}
