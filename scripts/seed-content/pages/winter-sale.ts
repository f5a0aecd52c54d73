import type { NewEntry } from '#server/content/content-backend';

/** Not published yet: somebody is still working on it. */
export const winterSale: NewEntry = {
  type: 'page',
  title: 'Winter seconds sale',
  slug: 'winter-seconds-sale',
  excerpt: 'Pots with a freckle or a lean, at half price, for one weekend in December.',
  sections: [
    {
      type: 'hero',
      fields: {
        heading: 'Slightly wrong, half price',
        subheading: 'One weekend in December, until the shelves are bare.',
      },
    },
    {
      type: 'text',
      fields: {
        body: `A second is a pot that works but would not win anything: a pinhole, a drip, a foot that is not quite round. We
keep them all year under the stairs and sell them before Christmas.

Dates to be confirmed with the kiln.`,
      },
    },
  ],
};
