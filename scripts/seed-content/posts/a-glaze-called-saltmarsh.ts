import type { NewEntry } from '#server/content/content-backend';

export const aGlazeCalledSaltmarsh: NewEntry = {
  type: 'post',
  title: 'A glaze called Saltmarsh',
  slug: 'a-glaze-called-saltmarsh',
  excerpt: 'Forty-one tiles, two winters and one mistake with a bucket: how our green came about.',
  author: 'Tom Hale',
  tags: ['glaze', 'making'],
  image: '/images/glaze-tiles.svg',
  sections: [
    {
      type: 'text',
      fields: {
        body: `People ask whether Saltmarsh is copper. It is not; copper gives you a green that shouts. This one is iron, the same
iron that makes our rust red, starved of air at the right moment and held there until it turns.

I wanted the colour of the marsh in February: grey first, green if you keep looking. The first dozen tiles were
bathroom. The next dozen were beautiful and ran off the pots on to the shelves, which I then chiselled clean for a
weekend.`,
      },
    },
    {
      type: 'quote',
      fields: { quote: 'Tile 29 was the mistake. I had weighed the wood ash twice.', author: 'Tom, in the glaze book' },
    },
    {
      type: 'text',
      fields: {
        heading: 'The recipe, more or less',
        body: `Double ash did it. It made the glaze break over edges, so that a rim goes pale and the hollow of a bowl stays deep.
From there it was twelve tiles of small corrections: a little less feldspar, a pinch of rutile, clay from the reach
instead of bought clay.

The ash comes from the bakery's oven, which burns apple and oak. When they changed to beech one winter the glaze went
brown for six weeks and nobody could say why. Now there is a note on the bakery door. If you come to the
[glaze weekend](/workshops) you will mix it yourself, and you may take the recipe home; it will not come out the same,
and that is the nice part.`,
      },
    },
  ],
};
