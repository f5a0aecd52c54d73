import type { Page } from '@playwright/test';
import { requestLanguage } from '#components/language.ts';
import germanMessages from '#messages/de.json' with { type: 'json' };
import englishMessages from '#messages/en.json' with { type: 'json' };
import { LANGUAGE_COOKIE } from '#server/core/languages';
import { messagePaths } from '#tests/support/icu-messages';

/** Texts of three words and more that German says otherwise; sentences with something put in are not among them. */
const englishOnly = (() => {
  const screens = messagePaths(englishMessages).filter(([path]) => !path.startsWith('server.'));
  const german = new Map(messagePaths(germanMessages));
  return screens.flatMap(([place, said]) =>
    !/[{<]/.test(said) && said.split(' ').length >= 3 && german.get(place) !== said ? [said] : [],
  );
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
