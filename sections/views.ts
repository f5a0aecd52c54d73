/*
 * Written by `npx vitest run sections -u` from the folders of the kinds; the test fails when a kind is missing.
 */
import { heroView } from '#sections/hero/view';
import { textView } from '#sections/text/view';
import { imageView } from '#sections/image/view';
import { galleryView } from '#sections/gallery/view';
import { featuresView } from '#sections/features/view';
import { quoteView } from '#sections/quote/view';
import { faqView } from '#sections/faq/view';
import { callToActionView } from '#sections/call-to-action/view';
import { formView } from '#sections/form/view';
import { postsListView } from '#sections/posts-list/view';
import { htmlView } from '#sections/html/view';

/** How the kinds are shown on the site. */
export const sectionViews = {
  hero: heroView,
  text: textView,
  image: imageView,
  gallery: galleryView,
  features: featuresView,
  quote: quoteView,
  faq: faqView,
  'call-to-action': callToActionView,
  form: formView,
  'posts-list': postsListView,
  html: htmlView,
};
