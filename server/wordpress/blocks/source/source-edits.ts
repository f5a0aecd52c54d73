import type { Element } from 'hast';
import { type Range, tagsOf } from '#server/wordpress/blocks/source/source-places';
import { escapeAttribute } from '#server/markup/write-html';

/** Changes to a text, each by its position in the original text. */
export class SourceEdits {
  readonly raw: string;
  readonly #edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];

  constructor(raw: string) {
    this.raw = raw;
  }

  replace({ start, end }: Range, text: string): void {
    this.#edits.push({ start, end, text });
  }

  insert(at: number, text: string): void {
    this.replace({ start: at, end: at }, text);
  }

  setAttribute(element: Element, property: string, name: string, value: string): boolean {
    const tags = tagsOf(element);
    if (tags === null) return false;
    const place = tags.attribute(property);
    const text = `${name}="${escapeAttribute(value)}"`;
    if (place !== null) this.replace(place, text);
    else this.insert(tags.opening.start + 1 + element.tagName.length, ` ${text}`);
    return true;
  }

  /** The text with all changes; null if two of them affect the same place. */
  applied(): string | null {
    const inOrder = this.#edits
      .map((edit, index) => ({ ...edit, index }))
      .toSorted((a, b) => a.start - b.start || a.end - b.end || a.index - b.index);
    let text = '';
    let done = 0;
    for (const { start, end, text: inserted } of inOrder) {
      if (start < done) return null;
      text += this.raw.slice(done, start) + inserted;
      done = end;
    }
    return text + this.raw.slice(done);
  }
}
