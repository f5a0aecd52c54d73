/*
 * Written by `npx vitest run sections -u` from the folders of the kinds; the test fails when a kind is missing.
 */
import { heroWords } from '#sections/hero/words';
import { textWords } from '#sections/text/words';
import { imageWords } from '#sections/image/words';
import { galleryWords } from '#sections/gallery/words';
import { featuresWords } from '#sections/features/words';
import { quoteWords } from '#sections/quote/words';
import { faqWords } from '#sections/faq/words';
import { callToActionWords } from '#sections/call-to-action/words';
import { formWords } from '#sections/form/words';
import { postsListWords } from '#sections/posts-list/words';
import { htmlWords } from '#sections/html/words';

/** Names and descriptions of the kinds, in English. */
export const sectionWords = {
  hero: heroWords,
  text: textWords,
  image: imageWords,
  gallery: galleryWords,
  features: featuresWords,
  quote: quoteWords,
  faq: faqWords,
  'call-to-action': callToActionWords,
  form: formWords,
  'posts-list': postsListWords,
  html: htmlWords,
};

/** Small picture of every kind. */
export const sketches = {
  hero: [['title', 'picture'], 'short', 'button'],
  text: ['title', 'line', 'line', 'short'],
  image: ['picture', 'short'],
  gallery: ['title', ['picture', 'picture', 'picture']],
  features: ['title', ['box', 'box', 'box']],
  quote: ['quote', 'line', 'short'],
  faq: ['title', 'fold', 'fold', 'fold'],
  'call-to-action': ['title', 'short', 'button'],
  form: ['title', 'field', 'field', 'button'],
  'posts-list': ['title', ['box', 'short'], ['box', 'short']],
  html: ['code', 'code', 'code'],
} as const;
