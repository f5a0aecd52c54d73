import { type RefObject, useEffectEvent, useLayoutEffect } from 'react';
import { markdownToHtml } from '#components/content/text/safe-html.ts';
import { coverText, scrollToText, textBox, textElement } from '#components/editor/page/covered-text.ts';
import { adoptStyles, copyTextStyle, runningTextStyle } from '#components/editor/page/page-text-styles.ts';
import { scaleOf } from '#components/editor/model/page-geometry.ts';
import type { FieldPlace } from '#components/editor/model/places.ts';

/** Distance between a text and its toolbar; screen pixels. */
const GAP = 6;
/**
 * Largest distance between the top of a section and its text at which the toolbar is placed above the section; pixels
 * of the page.
 */
const NEAR_SECTION_TOP_PX = 200;

interface OverlaidText {
  /** Window of the draft. */
  readonly page: Window;
  /** The layer of the editor, as large as the page's window. */
  readonly layer: RefObject<HTMLElement | null>;
  readonly place: FieldPlace;
}

/**
 * Keeps the editor of a text exactly over this text in the page, with the same styles, position and size; the page
 * below adapts to the editor's height. The page shows the new text when the editor closes.
 *
 * The position is set in every animation frame, because the page runs no scripts that could report scrolling or layout.
 * @param box element of the editor; null until it is mounted
 * @param text the present Markdown or plain text
 */
export function useTextOverlay({ page, layer, place }: OverlaidText, box: HTMLDivElement | null, text: string): void {
  const position = useEffectEvent((element: HTMLElement) => {
    if (!box || !element.isConnected) return;
    const scale = scaleOf(layer.current);
    passOnScroll(box, page, scale);
    alignWithText(box, element, scale);
  });
  const showResult = useEffectEvent((element: HTMLElement) => {
    if (isMarkdown(element)) element.innerHTML = markdownToHtml(text, '/preview');
  });

  useLayoutEffect(() => {
    const element = textElement(page.document, place);
    if (element === null || box === null) return undefined;
    const scope = `#${CSS.escape(box.id)} .rich-text`;
    const removeTextStyle = isMarkdown(element) ? adoptStyles(runningTextStyle(element, scope)) : undefined;
    const field = box.querySelector('textarea');
    if (field) copyTextStyle(field, element);
    scrollToText(page, textBox(element));
    const uncover = coverText(element);
    let next = 0;
    const go = () => {
      position(element);
      next = requestAnimationFrame(go);
    };
    go();
    return () => {
      cancelAnimationFrame(next);
      removeTextStyle?.();
      uncover();
      showResult(element);
    };
  }, [page, place, box]);

  // The page updates its layout with each character, as it will after saving.
  useLayoutEffect(() => {
    const element = textElement(page.document, place);
    if (element === null || isMarkdown(element)) return;
    if (element.textContent !== text) element.textContent = text;
    position(element);
  }, [page, place, text]);
}

function isMarkdown(element: HTMLElement): boolean {
  return element.dataset['text'] === 'markdown';
}

function setStyle(element: HTMLElement, name: string, value: string): void {
  if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
}

/**
 * Browsers scroll the cursor into view by scrolling boxes around it that have no scrollbars; this scrolls the page
 * instead.
 */
function passOnScroll(box: HTMLElement, page: Window, scale: number): void {
  for (let around = box.parentElement; around && around !== document.body; around = around.parentElement) {
    const { scrollTop } = around;
    if (scrollTop === 0 || getComputedStyle(around).overflowY !== 'hidden') continue;
    around.scrollTop = 0;
    page.scrollBy({ top: scrollTop / scale, behavior: 'instant' });
  }
}

/**
 * Moves the editor and its toolbar over the text, and makes both the text's element and the editor's field as high as
 * the edited text needs.
 */
function alignWithText(box: HTMLElement, element: HTMLElement, scale: number): void {
  const field = box.querySelector('textarea');
  const { left, top, width, height } = textBox(element);
  setStyle(box, 'transform', `translate(${String(left)}px, ${String(top)}px)`);
  setStyle(box, 'width', `${String(width)}px`);
  const tools = box.querySelector<HTMLElement>('[role=toolbar]');
  if (tools) {
    const toolbarSpace = (tools.offsetHeight + GAP) / scale;
    // Above the section if that is near, because the toolbar would otherwise cover its heading.
    const section = element.closest('[data-kind]')?.getBoundingClientRect().top ?? top;
    const above = top - section < NEAR_SECTION_TOP_PX ? section - top - GAP / scale : 0;
    // Inside the window even if the text begins above it, but never below the end of the text.
    const wanted = Math.max(above - toolbarSpace, Math.min(GAP / scale - top, box.offsetHeight));
    setStyle(tools, '--tools-top', `${String(wanted + toolbarSpace - GAP / scale - tools.offsetHeight)}px`);
  }
  if (field === null) {
    const text = box.querySelector<HTMLElement>('.rich-text');
    if (text) setStyle(element, 'height', `${String(text.offsetHeight)}px`);
    return;
  }
  setStyle(element, 'min-height', '');
  field.style.height = '0';
  const needed = field.scrollHeight;
  if (needed > height + 1) setStyle(element, 'min-height', `${String(needed)}px`);
  field.style.height = `${String(Math.max(needed, height))}px`;
}
