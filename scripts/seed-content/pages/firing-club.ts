import type { NewEntry } from '#server/content/content-backend';

/** The membership. */
export const firingClub: NewEntry = {
  type: 'page',
  title: 'Firing club',
  slug: 'firing-club',
  excerpt: 'Shelf space in our kiln for people who make pots at home, every second Friday.',
  sections: [
    {
      type: 'hero',
      fields: {
        heading: 'Make at home, fire with us',
        subheading: 'A kiln is large, hot and dear. So share one.',
        image: '/images/kiln.svg',
        imageAlt: 'The brick kiln with its door open, glowing orange, two pots inside',
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'Every second Friday',
        body: `Bring your dry pots until noon. We pack the kiln together in the afternoon, light it at six and let it climb
overnight to 1,240 °C. On Sunday it has cooled enough to open, which happens at eleven, with cake, and is the best hour
of the week.

Membership costs **£18 a month** and covers half a shelf in each firing. Glazes from our buckets are free as long as you
write down what you used.`,
      },
    },
    {
      type: 'features',
      fields: {
        heading: 'What members get',
        items: [
          { title: 'Half a shelf', body: 'About eight mugs, or one ambitious bowl, in every firing.' },
          { title: 'Open bench', body: 'Wednesday evenings at the big table, with someone there who knows things.' },
          { title: 'Clay at cost', body: 'Ordered together twice a year, so that the lorry comes once.' },
        ],
      },
    },
    {
      type: 'faq',
      fields: {
        heading: 'House rules',
        items: [
          {
            question: 'Which clay can I bring?',
            answer:
              'Anything that stands 1,240 °C. If you do not know, bring a test piece first. Low-fire clay turns to soup and takes the shelf with it.',
          },
          {
            question: 'May I use my own glazes?',
            answer: 'Yes, after a tile has been through the kiln once. Tom likes surprises, but not on the shelves.',
          },
          {
            question: 'What if something explodes?',
            answer: 'Then it was damp. Everybody does it once. You bake the next cake.',
          },
        ],
      },
    },
    {
      type: 'call-to-action',
      fields: {
        heading: 'There are four shelves free this season',
        buttonLabel: 'Ask to join',
        buttonHref: '/contact',
      },
    },
  ],
};
