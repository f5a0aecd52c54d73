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

/** The courses, with their questions. */
export const workshops: NewEntry = {
  type: 'page',
  title: 'Workshops',
  slug: 'workshops',
  excerpt: 'Wheel throwing, hand building and glazing in groups of six, for beginners and for people who are stuck.',
  sections: [
    {
      type: 'hero',
      fields: {
        heading: 'Learn to throw, slowly',
        subheading: 'Six wheels, six people, no exam at the end.',
        image: '/images/wheel.svg',
        imageAlt: 'Two hands steadying a tall pot on a turning wheel',
        ctaLabel: 'Ask for a date',
        ctaHref: '/contact',
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'How a workshop goes',
        body: `We start with a lump of clay the size of an orange and ten minutes of wedging, which is harder than it
looks and better than coffee. Then everyone sits down at a wheel. Ines goes round and moves your elbows.

By the end you choose **two pieces to keep**. We dry, trim, glaze and fire them, and write to you when they are ready,
usually after four weeks. If one of them cracks, and sometimes one does, you come back and make another. That is not
generosity; it is how pottery works.`,
      },
    },
    {
      type: 'features',
      fields: {
        heading: 'What you can book',
        intro: 'Everything is included: clay, tools, two firings and lunch where there is one.',
        items: [
          {
            title: 'First bowl · 2 hours · £48',
            body: 'Thursday evenings and Saturday mornings. No experience needed, or wanted.',
          },
          {
            title: 'Beginners’ Saturday · 3 hours · £65',
            body: 'Throw in the morning, eat soup, then decorate with slip.',
          },
          {
            title: 'Hand building · 1 day · £110',
            body: 'Pinch, coil and slab. For people who dislike wheels or have met one already.',
          },
          {
            title: 'Glaze weekend · 2 days · £240',
            body: 'Mix twelve glazes from raw materials with Tom and go home with your own tiles.',
          },
        ],
      },
    },
    {
      type: 'gallery',
      fields: {
        heading: 'Made here by beginners',
        images: [
          {
            src: '/images/mugs.svg',
            alt: 'Four mugs in rust, cream, green and blue on a shelf',
            caption: 'Four first mugs',
          },
          {
            src: '/images/bowls-on-shelf.svg',
            alt: 'Three bowls on a shelf',
            caption: 'A family of three, one bowl each',
          },
          {
            src: '/images/glaze-tiles.svg',
            alt: 'Rows of glaze test tiles from green to rust to blue',
            caption: 'Tiles from the glaze weekend',
          },
        ],
      },
    },
    {
      type: 'faq',
      fields: {
        heading: 'Before you book',
        items: [
          {
            question: 'What should I wear?',
            answer: 'Something you can wash. We have aprons. Long nails and clay do not get along.',
          },
          {
            question: 'Can children come?',
            answer: 'From ten years to the hand building days, with a grown-up who also makes something.',
          },
          {
            question: 'Is the studio accessible?',
            answer:
              'There is a ramp, a step-free toilet and one wheel that can be used standing or from a wheelchair. Tell us when you book and we will set it up.',
          },
          {
            question: 'What if I have to cancel?',
            answer:
              'Up to a week before, we move you to another date or give the money back. After that we try to fill the place; if we can, you get the money back too.',
          },
        ],
      },
    },
    {
      type: 'call-to-action',
      fields: {
        heading: 'Giving a workshop as a present?',
        body: 'Vouchers are printed on the letterpress next door and do not expire.',
        buttonLabel: 'Order a voucher',
        buttonHref: '/contact',
      },
    },
  ],
};

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
