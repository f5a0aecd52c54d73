import type { FieldPlace } from '#components/editor/places';

/** The element of a draft that shows a text; null: none does. See components/content/text/field-marks. */
export function textElement(page: Document, { sectionId, field }: FieldPlace): HTMLElement | null {
  const within = sectionId === null ? page : page.getElementById(sectionId);
  const found = within?.querySelectorAll<HTMLElement>(`[data-text][data-field="${CSS.escape(field)}"]`) ?? [];
  // Sections have a heading, as the page may have.
  return [...found].find((element) => sectionId !== null || element.closest('[data-kind]') === null) ?? null;
}

/** The text before or after another one in its section; null: there is none. */
export function neighbourText(page: Document, place: FieldPlace, step: -1 | 1): FieldPlace | null {
  const element = textElement(page, place);
  const texts = [...(element?.closest('[data-kind]')?.querySelectorAll<HTMLElement>('[data-text]') ?? [])];
  const next = element === null ? undefined : texts[texts.indexOf(element) + step];
  const field = next?.dataset['field'];
  return field === undefined ? null : { sectionId: place.sectionId, field };
}

/**
 * Hides the words of a text, over which an editor stands. What is around it stays, its background too.
 * @returns shows them again
 */
export function coverText(element: HTMLElement): () => void {
  // An answer may be folded away.
  for (let fold = element.closest('details'); fold !== null; fold = fold.parentElement?.closest('details') ?? null) {
    fold.open = true;
  }
  const former = element.style.cssText;
  if (element.dataset['text'] === 'markdown') {
    element.style.visibility = 'hidden';
  } else {
    // Not `color`: a button's outline may have that, too.
    element.style.setProperty('-webkit-text-fill-color', 'transparent');
    element.style.textDecorationColor = 'transparent';
  }
  return () => {
    element.style.cssText = former;
  };
}

/** Box in pixels from the top left corner of the page's window. */
export interface TextBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Room for the next letters of a text that is as wide as its words; em. */
const ROOM = 2;

/** Place and size of an editor that covers a text. */
export function textBox(element: HTMLElement): TextBox {
  const { left, top, width, height } = element.getBoundingClientRect();
  const styles = element.ownerDocument.defaultView?.getComputedStyle(element);
  const isAsWide = styles?.display.startsWith('inline') === true;
  const room = isAsWide ? Number.parseFloat(styles?.fontSize ?? '16') * ROOM : 0;
  return { left, top, width: width + room, height };
}

/** Brings a text into view that stands outside of the window, or at its edge, where its tools have no room. */
export function scrollToText(page: Window, { top, height }: TextBox): void {
  const isSeen = top >= 0 && (top + height <= page.innerHeight || top < page.innerHeight / 2);
  if (!isSeen) page.scrollBy({ top: top - page.innerHeight / 4, behavior: 'instant' });
}
