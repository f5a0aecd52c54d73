/*
 * Written by `npx vitest run sections -u` from the folders of the kinds; the test fails when a kind is missing.
 */
import { heroBlocks } from '#sections/hero/blocks';
import { textBlocks } from '#sections/text/blocks';
import { imageBlocks } from '#sections/image/blocks';
import { videoBlocks } from '#sections/video/blocks';
import { galleryBlocks } from '#sections/gallery/blocks';
import { featuresBlocks } from '#sections/features/blocks';
import { priceListBlocks } from '#sections/price-list/blocks';
import { timetableBlocks } from '#sections/timetable/blocks';
import { openingHoursBlocks } from '#sections/opening-hours/blocks';
import { teamBlocks } from '#sections/team/blocks';
import { stepsBlocks } from '#sections/steps/blocks';
import { logosBlocks } from '#sections/logos/blocks';
import { mapBlocks } from '#sections/map/blocks';
import { tableBlocks } from '#sections/table/blocks';
import { downloadsBlocks } from '#sections/downloads/blocks';
import { quoteBlocks } from '#sections/quote/blocks';
import { testimonialsBlocks } from '#sections/testimonials/blocks';
import { faqBlocks } from '#sections/faq/blocks';
import { callToActionBlocks } from '#sections/call-to-action/blocks';
import { formBlocks } from '#sections/form/blocks';
import { postsListBlocks } from '#sections/posts-list/blocks';
import { htmlBlocks } from '#sections/html/blocks';

/** The kinds as WordPress blocks. */
export const sectionBlocks = {
  hero: heroBlocks,
  text: textBlocks,
  image: imageBlocks,
  video: videoBlocks,
  gallery: galleryBlocks,
  features: featuresBlocks,
  'price-list': priceListBlocks,
  timetable: timetableBlocks,
  'opening-hours': openingHoursBlocks,
  team: teamBlocks,
  steps: stepsBlocks,
  logos: logosBlocks,
  map: mapBlocks,
  table: tableBlocks,
  downloads: downloadsBlocks,
  quote: quoteBlocks,
  testimonials: testimonialsBlocks,
  faq: faqBlocks,
  'call-to-action': callToActionBlocks,
  form: formBlocks,
  'posts-list': postsListBlocks,
  html: htmlBlocks,
};
