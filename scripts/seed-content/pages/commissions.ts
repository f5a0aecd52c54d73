import type { NewEntry } from '#server/content/content-backend';

/** Made to order, with a form. */
export const commissions: NewEntry = {
  type: 'page',
  title: 'Commissions',
  slug: 'commissions',
  excerpt: 'Tableware for restaurants, weddings and kitchens, drawn with you and made by hand.',
  sections: [
    {
      type: 'hero',
      fields: {
        heading: 'Made for one table',
        subheading: 'From a single christening mug to eighty plates for a restaurant.',
        image: '/images/mugs.svg',
        imageAlt: 'Four mugs in different glazes on a shelf',
      },
    },
    {
      type: 'text',
      fields: {
        body: `We take on about twenty commissions a year. Some are weddings, where people want cups they will still use when
the photographs are in a drawer. Some are kitchens: *The Larder* in Ferry Street has been eating from our plates for six
years and breaks about nine of them a month, which we find reasonable.

Prices begin at **£32 for a mug** and **£54 for a dinner plate**, and go down a little with the number. A first set of
samples costs £90, which comes off the bill if you go ahead.`,
      },
    },
    {
      type: 'features',
      fields: {
        heading: 'How it works',
        items: [
          {
            title: '1. A drawing',
            body: 'You tell us what you eat. We draw three shapes, at real size, so that you can put a spoon on them.',
          },
          {
            title: '2. Samples',
            body: 'Two pieces in two glazes, after about five weeks. Use them, wash them, live with them.',
          },
          {
            title: '3. The making',
            body: 'Eight to twelve weeks, depending on the season and the kiln. You may come and watch.',
          },
          {
            title: '4. A spare or two',
            body: 'We always make a few more than you ordered. You may have them at half price.',
          },
        ],
      },
    },
    {
      type: 'gallery',
      fields: {
        heading: 'Glazes to choose from',
        images: [
          {
            src: '/images/glaze-tiles.svg',
            alt: 'Test tiles in greens, rusts and blues',
            caption: 'The house palette: Saltmarsh, Rust and Slack Water',
          },
          { src: '/images/bowls-on-shelf.svg', alt: 'Bowls in three glazes', caption: 'The same bowl in all three' },
        ],
      },
    },
    {
      type: 'form',
      fields: {
        heading: 'Tell us about the table',
        intro: 'A few lines are enough. Ines answers within a week, usually with a question.',
        fields: [
          { label: 'Your name', kind: 'text', required: true },
          { label: 'E-mail', kind: 'email', required: true },
          { label: 'When do you need it?', kind: 'text', required: false },
          { label: 'What would you like us to make?', kind: 'textarea', required: true },
        ],
        submitLabel: 'Send to Ines',
      },
    },
  ],
};
