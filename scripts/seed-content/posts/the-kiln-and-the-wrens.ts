import type { NewEntry } from '#server/content/content-backend';

export const theKilnAndTheWrens: NewEntry = {
  type: 'post',
  title: 'The kiln and the wrens',
  slug: 'the-kiln-and-the-wrens',
  excerpt: 'It was free, it weighed two tons, and somebody already lived in it.',
  author: 'Ines Marlowe',
  tags: ['kiln', 'studio'],
  image: '/images/kiln.svg',
  sections: [
    {
      type: 'text',
      fields: {
        body: `The kiln came from an art school that was closing its ceramics rooms to make space for screens. They gave it to us on
one condition: that it was gone by Friday. It travelled forty miles on a trailer made for boats, in the rain, with Tom
walking in front of it through the villages like a man with a bear.

When we had it on its feet in the boathouse and looked up the flue for daylight, something looked back. A pair of wrens
had moved in, between Thursday and Friday, and laid five eggs.`,
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'We waited',
        body: `You do not light a kiln under a wren. So for seven weeks our most expensive possession stood cold while we threw pots,
dried pots, and stacked pots under the stairs until the stairs were no longer usable.

They fledged on the ninth of July, all five. We lit the first firing on the tenth. To this day the pilot hole has a
mesh door that Tom made, and every spring a wren comes and has a look at it, and, I like to think, complains.`,
      },
    },
  ],
};
