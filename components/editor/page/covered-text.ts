import type { FieldPlace } from '#components/editor/model/places.ts';

/** The element of a draft that shows a text; null if none does. See components/content/text/field-marks. */
export function textElement(page: Document, { sectionId, field }: FieldPlace): HTMLElement | null {
  const within = sectionId === null ? page : page.getElementById(sectionId);
  const found = within?.querySelectorAll<HTMLElement>(`[data-text][data-field="${CSS.escape(field)}"]`) ?? [];
  // Both sections and the page may have a heading.
  return [...found].find((element) => sectionId !== null || element.closest('[data-kind]') === null) ?? null;
}

/** The text before or after another one in its section; null: none. */
export function neighbourText(page: Document, place: FieldPlace, step: -1 | 1): FieldPlace | null {
  const element = textElement(page, place);
  const texts = [...(element?.closest('[data-kind]')?.querySelectorAll<HTMLElement>('[data-text]') ?? [])];
  const next = element === null ? undefined : texts[texts.indexOf(element) + step];
  const field = next?.dataset['field'];
  return field === undefined ? null : { sectionId: place.sectionId, field };
}

/**
 * Hides a text under its editor. Everything around it stays visible, including its background.
 * @returns function that shows the text again
 */
export function coverText(element: HTMLElement): () => void {
  // The answer to a question may be collapsed.
  for (let fold = element.closest('details'); fold !== null; fold = fold.parentElement?.closest('details') ?? null) {
    fold.open = true;
  }
  const former = element.style.cssText;
  if (element.dataset['text'] === 'markdown') {
    element.style.visibility = 'hidden';
  } else {
    // Not `color`, which a button's outline may use too.
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

/** Extra width for the next characters of a text that is as wide as its content; em. */
const EXTRA_WIDTH_EM = 2;

/** Position and size of the editor over a text: the element's box, wider if the element is only as wide as its text. */
export function textBox(element: HTMLElement): TextBox {
  const { left, top, width, height } = element.getBoundingClientRect();
  const styles = element.ownerDocument.defaultView?.getComputedStyle(element);
  const isInline = styles?.display.startsWith('inline') === true;
  const extra = isInline ? Number.parseFloat(styles?.fontSize ?? '16') * EXTRA_WIDTH_EM : 0;
  return { left, top, width: width + extra, height };
}

/** Scrolls a text into view if it is outside the window, or so near its edge that its toolbar does not fit. */
export function scrollToText(page: Window, { top, height }: TextBox): void {
  const isSeen = top >= 0 && (top + height <= page.innerHeight || top < page.innerHeight / 2);
  if (!isSeen) page.scrollBy({ top: top - page.innerHeight / 4, behavior: 'instant' });
}
