import { translator } from '#components/i18n.ts';
import { EXAMPLE_HOURS } from '#server/core/sections/opening-hours';
import type { JsonObject, JsonValue } from '#server/core/json';
import type { SectionContent, SectionType } from '#server/core/site/content';

const t = translator('sectionExamples');

/** Picture of every kind that begins with one. */
const PLACEHOLDER = '/images/placeholder.svg';

/** A title with a text, as an item. */
const titled = (title: string, body: string) => ({ title, body });

/**
 * Fields of a section that a person adds, in the language of the screens: the page shows at once how the section looks.
 * Empty for the kinds whose defaults are enough.
 */
export function sectionExample(type: SectionType): JsonObject {
  switch (type) {
    case 'price-list':
      return {
        heading: t('prices.heading'),
        items: [
          { ...titled(t('prices.first'), t('prices.body')), price: t('prices.price') },
          { title: t('prices.second'), price: t('prices.otherPrice') },
          { title: t('prices.third'), price: t('prices.onRequest') },
        ],
      };
    case 'timetable':
      return {
        heading: t('timetable.heading'),
        items: [
          { title: t('timetable.first'), day: t('timetable.monday'), time: '09:00 – 10:15', body: t('timetable.body') },
          { title: t('timetable.second'), day: t('timetable.monday'), time: '18:30 – 20:00' },
          { title: t('timetable.first'), day: t('timetable.wednesday'), time: '09:00 – 10:15' },
          { title: t('timetable.second'), day: t('timetable.friday'), time: '17:00 – 18:30' },
        ],
      };
    case 'opening-hours':
      return {
        heading: t('hours.heading'),
        items: EXAMPLE_HOURS.map((row) => ({ ...row })),
        address: t('hours.address'),
      };
    case 'team':
      return {
        heading: t('team.heading'),
        items: [t('team.first'), t('team.second'), t('team.third')].map((title) => ({
          title,
          role: t('team.role'),
          src: PLACEHOLDER,
        })),
      };
    case 'testimonials':
      return {
        heading: t('testimonials.heading'),
        items: [1, 2, 3].map(() => ({ quote: t('testimonials.quote'), author: t('testimonials.author') })),
      };
    case 'steps':
      return {
        heading: t('steps.heading'),
        items: [t('steps.first'), t('steps.second'), t('steps.third')].map((title) => titled(title, t('steps.body'))),
      };
    case 'logos':
      return { images: [1, 2, 3, 4].map(() => ({ src: PLACEHOLDER, alt: '' })) };
    case 'map':
      return { heading: t('map.heading'), address: t('map.address'), image: PLACEHOLDER };
    case 'table':
      return { heading: t('table.heading'), rows: t('table.rows') };
    case 'downloads':
      return { heading: t('downloads.heading'), items: [{ title: t('downloads.title'), href: '/' }] };
    default:
      return {};
  }
}

/** Text of a value that is equal for equal values, whatever the order of their keys. */
function canonicalText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonicalText(field)}`).join()}}`;
}

/** True if a section still has exactly the texts of its example, in the language of the screens. */
export function isExample({ type, fields }: SectionContent): boolean {
  const example = sectionExample(type);
  return Object.keys(example).length > 0 && canonicalText(fields) === canonicalText(example);
}
