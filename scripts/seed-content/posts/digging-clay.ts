import type { NewEntry } from '#server/content/content-backend';

export const diggingClay: NewEntry = {
  type: 'post',
  title: 'Digging clay at Hollin Reach',
  slug: 'digging-clay-at-hollin-reach',
  excerpt: 'Twice a year we fill two wheelbarrows with grey mud. What happens to it before it becomes a plate.',
  author: 'Ines Marlowe',
  tags: ['clay', 'making'],
  image: '/images/clay-cliff.svg',
  sections: [
    {
      type: 'text',
      fields: {
        body: `The best time to dig is two days after the spring tide, when the bank has drained but not yet set. We go with spades,
two wheelbarrows and a letter from the harbour board, which nobody has ever asked to see. The clay lies in a band as
thick as a forearm, under a yard of brown silt. You know it when you reach it: the spade stops with a sound like a
cork.

Straight from the bank it is useless. It is full of roots, shells and the odd bottle neck, and shells are the enemy: a
crumb of lime in a pot waits politely through the firing, then takes up water and pops a hole in the wall a month
later, usually on somebody's dresser.`,
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'From mud to something you can throw',
        body: `So we slake it. The lumps go into tubs of rainwater and fall apart over a week. We stir, pour the slip through a
sieve fine enough for flour, and let it settle until there is a clear inch of water on top to draw off. Then it goes on
plaster slabs, where it loses water overnight and can be peeled off in sheets by the morning.

On its own it slumps at our temperature, so we blend it: one part river, two parts of a plain stoneware. That is enough
for the colour to come through, a warm grey with rust-coloured freckles, and for the body to stand. Forty kilos dug make
about sixty bowls. We have counted.`,
      },
    },
  ],
};
