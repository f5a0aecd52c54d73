import type { NewEntry } from '#server/content/content-backend';

export const eightyPlates: NewEntry = {
  type: 'post',
  title: 'Eighty plates for The Larder',
  slug: 'eighty-plates-for-the-larder',
  excerpt: 'A restaurant order from the first drawing to the first broken one.',
  author: 'Ines Marlowe',
  tags: ['commissions'],
  image: '/images/bowls-on-shelf.svg',
  sections: [
    {
      type: 'text',
      fields: {
        body: `Ravi from The Larder came in with a shoebox of sand. He had pressed into it, with his thumb, the plate he wanted: wide
and nearly flat, with a lip just high enough to stop a sauce. It is still the best brief we have ever had.

We drew it at three sizes and cut the profiles out of card. He took them to the kitchen and put food on them. Card plates
do not survive soup, but by the end of the week we knew: twenty-six centimetres, not twenty-eight, because the
dishwasher rack says so.`,
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'The arithmetic of eighty',
        body: `Eighty plates means a hundred and four thrown. Some warp, some stick, one is always dropped by the person carrying
the board through the low door. They dry for nine days, upside down for the last four, and turn up in the kiln in three
loads.

We delivered them on a Tuesday in a bread van. On Wednesday Ravi sent a photograph of the first broken one, with a
heart. That was six years ago. The Larder breaks about nine a month, we make ten, and the tenth goes to a pile that will one
day be a second set.`,
      },
    },
  ],
};
