const PREFIX = 'throughline-tag-';
const NAMED = /^throughline-tag-([a-z0-9_-]+)$/;

/** A tag as a CSS class, since the block of newest posts knows no tags: what is no letter or digit becomes `_hex_`. */
export function classOfTag(tag: string): string {
  const name = tag.replace(/[^a-z0-9-]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`);
  return `${PREFIX}${name}`;
}

/** The tag in a list of classes; undefined where there is none. */
export function tagOfClass(classes: string): string | undefined {
  const name = classes.split(/\s+/).flatMap((one) => NAMED.exec(one)?.slice(1) ?? [])[0];
  return name?.replace(/_([0-9a-f]{1,6})_/g, (_, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
  });
}
