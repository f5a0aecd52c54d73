import type { NewEntry } from '#server/content/content-backend';

export const howToLookAfterStoneware: NewEntry = {
  type: 'post',
  title: 'How to look after stoneware',
  slug: 'how-to-look-after-stoneware',
  excerpt: 'Dishwasher, oven, tea stains and the sound a cracked bowl makes.',
  author: 'Tom Hale',
  tags: ['care'],
  image: '/images/mugs.svg',
  sections: [
    {
      type: 'text',
      fields: {
        body: `Our pots are fired to 1,240 °C, so there is little in a kitchen that will impress them. Put them in the dishwasher.
Put them in the microwave. What they mind is being hurried: a cold dish in a hot oven, or a hot one on a wet stone
worktop.

**Oven:** put the dish in cold and let both warm up together. **Freezer:** yes, but let it come back to the room before
it meets any heat. **Hob:** no, never, not even on a low flame.`,
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'Stains and chips',
        body: `Tea leaves a brown shadow in pale glazes. Half a teaspoon of bicarbonate on a damp cloth takes it off. Grey lines from
cutlery are metal left behind, not scratches; a cream cleaner for hobs removes them.

Tap a bowl with your knuckle. A whole one rings; a cracked one says *tock*. If it says tock, do not pour hot soup in it.
Send it to us: we [mend our own](/our-story) for the postage, and a stapled bowl has better stories than a new one.`,
      },
    },
  ],
};
