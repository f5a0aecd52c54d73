/*
 * Written by `npx vitest run sections -u` from the folders of the kinds; the test fails when a kind is missing.
 */
import { hero } from '#sections/hero/fields';
import { text } from '#sections/text/fields';
import { image } from '#sections/image/fields';
import { video } from '#sections/video/fields';
import { gallery } from '#sections/gallery/fields';
import { features } from '#sections/features/fields';
import { priceList } from '#sections/price-list/fields';
import { timetable } from '#sections/timetable/fields';
import { openingHours } from '#sections/opening-hours/fields';
import { team } from '#sections/team/fields';
import { steps } from '#sections/steps/fields';
import { logos } from '#sections/logos/fields';
import { map } from '#sections/map/fields';
import { table } from '#sections/table/fields';
import { downloads } from '#sections/downloads/fields';
import { quote } from '#sections/quote/fields';
import { testimonials } from '#sections/testimonials/fields';
import { faq } from '#sections/faq/fields';
import { callToAction } from '#sections/call-to-action/fields';
import { form } from '#sections/form/fields';
import { postsList } from '#sections/posts-list/fields';
import { html } from '#sections/html/fields';

/** The kinds of sections. */
export const sectionDefinitions = {
  hero,
  text,
  image,
  video,
  gallery,
  features,
  'price-list': priceList,
  timetable,
  'opening-hours': openingHours,
  team,
  steps,
  logos,
  map,
  table,
  downloads,
  quote,
  testimonials,
  faq,
  'call-to-action': callToAction,
  form,
  'posts-list': postsList,
  html,
};
