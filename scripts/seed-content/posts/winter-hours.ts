import type { NewEntry } from '#server/content/content-backend';

export const winterHours: NewEntry = {
  type: 'post',
  title: 'Winter hours and a new wheel',
  slug: 'winter-hours-and-a-new-wheel',
  excerpt: 'We have bought a wheel you can use standing up, and we are closing earlier while the days are short.',
  author: 'Ines Marlowe',
  tags: ['studio', 'workshops'],
  image: '/images/studio-door.svg',
  sections: [
    {
      type: 'text',
      fields: {
        body: `Two bits of news. First, the boring one: from November to the end of February the shop closes at four, because after
that you cannot see the glazes properly and we end up selling people a green that turns out to be blue. Workshops stay
as they are; the evening ones have lamps.

Then the good one. We have a sixth wheel, and it is an odd one: the head goes up and down with a crank, so that you can
throw standing, on a stool, or from a wheelchair. It was built by a retired boat engineer in Hollin who had never seen a
potter's wheel and asked all the right questions.`,
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'Come and try it',
        body: `It will be in use from the first Thursday of the month. If you have stayed away from a workshop because of your back,
your knees or the stool, write to us and we will keep it for you. There is no extra charge, and no fuss.

And if you are one of the people who helped to pay for it through the tea tin: thank you. It came to £412.60 and a button.`,
      },
    },
    {
      type: 'call-to-action',
      fields: {
        heading: 'The new wheel has free Thursdays',
        buttonLabel: 'See the workshops',
        buttonHref: '/workshops',
      },
    },
  ],
};
