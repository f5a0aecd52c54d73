import type { NewEntry } from '#server/content/content-backend';

/** The front of the site: who they are, what they offer, what is new. */
export const home: NewEntry = {
  type: 'page',
  title: 'Home',
  slug: 'home',
  excerpt: 'Stoneware made from estuary clay, and workshops for people who have never touched a wheel.',
  sections: [
    {
      type: 'hero',
      fields: {
        heading: 'Pots with a bit of the river in them',
        subheading:
          'We dig clay from the estuary, throw it in an old boathouse and fire it slowly. Come and buy a bowl, or come and make one.',
        image: '/images/bowls-on-shelf.svg',
        imageAlt: 'Three stoneware bowls, one sea green, one rust and one cream, on a wooden shelf',
        ctaLabel: 'See the workshops',
        ctaHref: '/workshops',
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'A small pottery that likes company',
        body: `Tidewrack is two potters, one kiln and a kettle. Ines throws; Tom mixes glazes and pretends not to mind when
they run. Most of what we sell is meant to be used on a Tuesday: bowls that stack, mugs that sit well in a cold hand,
a jug that pours without dribbling.

Four days a week the doors are open and the wheels are free for anyone who wants to learn. You will get muddy, you will
lose the first two pots, and you will be **oddly proud of the third**. [Here is how we got started](/our-story).`,
      },
    },
    {
      type: 'features',
      fields: {
        heading: 'Three ways in',
        items: [
          {
            title: 'Take a workshop',
            body: 'Two hours or a whole weekend, six people at most. Clay, firing and tea are part of the price.',
          },
          {
            title: 'Order a set',
            body: 'Plates for a wedding, cups for a café, one very large bowl. We draw it with you first.',
          },
          {
            title: 'Join the firing club',
            body: 'Make at home, fire with us. Shelf space in the kiln every second Friday.',
          },
        ],
      },
    },
    {
      type: 'image',
      fields: {
        src: '/images/estuary.svg',
        alt: 'The estuary at low tide under a pale sun, with mudflats and a few wading birds',
        caption: 'Low tide below the boathouse. The grey band is where the clay comes from.',
      },
    },
    {
      type: 'quote',
      fields: {
        quote:
          'I came for a birthday workshop and left with a lopsided bowl. I have eaten my porridge from it every morning for three years.',
        author: 'Maud Ferris',
        role: 'Saturday beginner, now in the firing club',
      },
    },
    { type: 'posts-list', fields: { heading: 'From the workbench', count: 3 } },
    {
      type: 'call-to-action',
      fields: {
        heading: 'The next beginners’ Saturday has two places left',
        body: 'Ten until one, soup included. Bring an apron and short fingernails.',
        buttonLabel: 'Book a place',
        buttonHref: '/contact',
      },
    },
  ],
};
