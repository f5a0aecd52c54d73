import type { Page } from '@playwright/test';
import { requestLanguage } from '#components/language.ts';
import germanMessages from '#messages/de.json' with { type: 'json' };
import englishMessages from '#messages/en.json' with { type: 'json' };
import { LANGUAGE_COOKIE } from '#server/core/languages';
import { messagePaths, readMessage } from '#tests/support/icu-messages';

/** Stands for a value in a message; occurs in no text. */
const VALUE = '\u0000';

/**
 * Messages of three words and more that German says otherwise, and passages of four words and more between values:
 * shorter ones are also parts of titles that people wrote.
 */
const englishOnly = (() => {
  const german = new Map(messagePaths(germanMessages));
  const texts = messagePaths(englishMessages).flatMap(([place, message]) => {
    const pieces = readMessage(message).pieces.map(({ isText, source }) => (isText ? source : VALUE));
    const passages = pieces.join('').split(VALUE);
    const words = passages.length === 1 ? 3 : 4;
    return passages.filter((text) => text.trim().split(' ').length >= words && !german.get(place)?.includes(text));
  });
  return [...new Set(texts)];
})();

/** Makes the words that a test looks for German, until it is called off. */
export function lookForGerman(): () => void {
  requestLanguage.throughlineLanguage = { getStore: () => ({ code: 'de', messages: germanMessages }) };
  return () => delete requestLanguage.throughlineLanguage;
}

/** Chooses German in this browser. */
export async function chooseGerman(page: Page, url: string): Promise<void> {
  await page.context().addCookies([{ name: LANGUAGE_COOKIE, value: 'de', url }]);
}

/** English texts of the interface that the page shows or names things by; what says that it is English does not count. */
export async function englishOn(page: Page): Promise<readonly string[]> {
  const said = await page.evaluate(() => {
    const parts: string[] = [];
    const isGerman = (element: Element | null) => element?.closest('[lang]')?.getAttribute('lang') === 'de';
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element && isGerman(node)) {
        for (const name of ['aria-label', 'aria-description', 'title', 'placeholder', 'alt'])
          parts.push(node.getAttribute(name) ?? '');
      }
      const { parentElement } = node;
      // A user's text in a field is in the user's language.
      if (node instanceof Element || parentElement instanceof HTMLTextAreaElement || !isGerman(parentElement)) continue;
      if (parentElement?.checkVisibility() === true) parts.push(node.textContent ?? '');
    }
    return `${document.title}\n${parts.join('\n')}`;
  });
  return englishOnly.filter((text) => said.includes(text));
}
