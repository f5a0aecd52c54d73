import type { NewEntry } from '#server/content/content-backend';
import type { NavigationItem, SiteSettings } from '#server/core/content';

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

export const visitUs: NewEntry = {
  type: 'page',
  title: 'Visit us',
  slug: 'visit-us',
  excerpt: 'The boathouse is open Thursday to Sunday. How to find it, and what to watch out for at high tide.',
  sections: [
    {
      type: 'hero',
      fields: {
        heading: 'The blue door by the slipway',
        subheading: 'Old Ferry Boathouse, Slip Lane, Hollinmouth',
        image: '/images/studio-door.svg',
        imageAlt: 'A white weatherboarded boathouse with a blue double door and a geranium in a pot',
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'Opening hours',
        body: `| Day | Shop | Wheels |
| --- | --- | --- |
| Thursday | 11 to 5 | 6 to 8 in the evening |
| Friday | 11 to 5 | closed, we pack the kiln |
| Saturday | 10 to 5 | 10 to 1 |
| Sunday | 11 to 3 | kiln opening at 11, every second week |

The shop is the front room. If nobody is there, ring the ship's bell; we are in the back with wet hands.`,
      },
    },
    {
      type: 'image',
      fields: {
        src: '/images/estuary.svg',
        alt: 'View over the estuary from the slipway',
        caption: 'The view from the bench outside. Bring a sandwich.',
      },
    },
    {
      type: 'faq',
      fields: {
        heading: 'Getting here',
        items: [
          {
            question: 'Is there a bus?',
            answer:
              'The 14 from Hollin station stops at the church, every half hour. From there it is seven minutes downhill.',
          },
          {
            question: 'Where can I park?',
            answer:
              'On the quay, not in Slip Lane. Twice a year somebody parks on the slipway and the tide comes to look at the car.',
          },
          {
            question: 'Are dogs welcome?',
            answer: 'Yes, on a lead and away from the drying shelves. Biscuit, our own, will show yours around.',
          },
        ],
      },
    },
  ],
};

/** How to reach them. */
export const contact: NewEntry = {
  type: 'page',
  title: 'Contact',
  slug: 'contact',
  excerpt: 'Write, ring or knock. We answer letters too.',
  sections: [
    {
      type: 'hero',
      fields: {
        heading: 'Write, ring or knock',
        subheading: 'We answer letters too, though it takes us a while to find a clean pen.',
      },
    },
    {
      type: 'form',
      fields: {
        heading: 'Send us a note',
        fields: [
          { label: 'Your name', kind: 'text', required: true },
          { label: 'E-mail', kind: 'email', required: true },
          { label: 'Your message', kind: 'textarea', required: true },
        ],
        submitLabel: 'Send the note',
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'Or directly',
        body: `**E-mail:** [hello@tidewrack.example](mailto:hello@tidewrack.example)

**Telephone:** 01632 960 144, Thursday to Sunday. If it rings for long, one of us is centring; please try again.

**Post:** Tidewrack Pottery, Old Ferry Boathouse, Slip Lane, Hollinmouth`,
      },
    },
  ],
};

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

/** The demo site's navigation. */
export const navigation: readonly NavigationItem[] = [
  {
    label: 'Workshops',
    href: '/workshops',
    children: [
      { label: 'All workshops', href: '/workshops' },
      { label: 'Firing club', href: '/firing-club' },
    ],
  },
  { label: 'Commissions', href: '/commissions' },
  { label: 'Journal', href: '/blog' },
  { label: 'Our story', href: '/our-story' },
  { label: 'Visit us', href: '/visit-us' },
  { label: 'Contact', href: '/contact' },
];

/** The demo site's settings. */
export const settings: SiteSettings = {
  siteName: 'Tidewrack Pottery',
  tagline: 'Stoneware and workshops from a boathouse on the estuary',
  homeSlug: 'home',
  contactEmail: 'hello@tidewrack.example',
  footerText: 'Old Ferry Boathouse, Slip Lane, Hollinmouth. Open Thursday to Sunday; ring the bell.',
  accentColor: '#a34a2a',
};
