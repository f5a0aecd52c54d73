import type { NewEntry } from '#server/content/content-backend';

/** Where they come from. */
export const ourStory: NewEntry = {
  type: 'page',
  title: 'Our story',
  slug: 'our-story',
  excerpt: 'How a leaking boathouse, a second-hand kiln and a bucket of grey mud became a pottery.',
  sections: [
    {
      type: 'hero',
      fields: {
        heading: 'It began with a leak',
        subheading: 'And with the stubborn idea that you can make a plate out of what is under your boots.',
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'The boathouse',
        body: `In the winter of 2014 the roof of the old ferry boathouse came down on one side, and the council let it go for
the price of the slates. Ines Marlowe had been throwing in a shared unit with no window. Tom Hale was a chemistry
teacher who spent his Sundays melting rocks. They bought it together before either had asked the other whether they
could afford it.

The first year went into the roof. The second went into the kiln, which came on a trailer from a closed art school and
had a family of wrens in the flue. We waited until they had flown.`,
      },
    },
    {
      type: 'image',
      fields: {
        src: '/images/clay-cliff.svg',
        alt: 'A river bank with layers of brown, grey and ochre earth',
        caption:
          'The bank at Hollin Reach, half a mile upriver. We dig here twice a year, with permission and two wheelbarrows.',
      },
    },
    {
      type: 'quote',
      fields: {
        quote:
          'Shop clay does what you tell it. Ours has opinions. You learn to listen, and then the pots look like somewhere.',
        author: 'Ines Marlowe',
        role: 'Potter and founder',
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'What we hold on to',
        body: `- **Local first.** A third of every clay body is dug by us. The rest comes from forty miles away.
- **One firing fewer.** Most of our ware is fired once instead of twice, which saves about a third of the gas.
- **Mend it.** If something of ours breaks, send us the pieces. We staple and glue for the price of the postage.
- **Small rooms.** Never more than six people, because a wheel needs a pair of eyes on it.`,
      },
    },
  ],
};
