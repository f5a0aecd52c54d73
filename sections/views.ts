/*
 * Written by `npx vitest run sections -u` from the folders of the kinds; the test fails when a kind is missing.
 */
import { heroView } from '#sections/hero/view';
import { textView } from '#sections/text/view';
import { imageView } from '#sections/image/view';
import { videoView } from '#sections/video/view';
import { galleryView } from '#sections/gallery/view';
import { featuresView } from '#sections/features/view';
import { priceListView } from '#sections/price-list/view';
import { timetableView } from '#sections/timetable/view';
import { openingHoursView } from '#sections/opening-hours/view';
import { teamView } from '#sections/team/view';
import { stepsView } from '#sections/steps/view';
import { logosView } from '#sections/logos/view';
import { mapView } from '#sections/map/view';
import { tableView } from '#sections/table/view';
import { downloadsView } from '#sections/downloads/view';
import { quoteView } from '#sections/quote/view';
import { testimonialsView } from '#sections/testimonials/view';
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
  video: videoView,
  gallery: galleryView,
  features: featuresView,
  'price-list': priceListView,
  timetable: timetableView,
  'opening-hours': openingHoursView,
  team: teamView,
  steps: stepsView,
  logos: logosView,
  map: mapView,
  table: tableView,
  downloads: downloadsView,
  quote: quoteView,
  testimonials: testimonialsView,
  faq: faqView,
  'call-to-action': callToActionView,
  form: formView,
  'posts-list': postsListView,
  html: htmlView,
};
