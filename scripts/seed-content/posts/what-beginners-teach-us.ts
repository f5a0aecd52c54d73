import type { NewEntry } from '#server/content/content-backend';

export const whatBeginnersTeachUs: NewEntry = {
  type: 'post',
  title: 'What beginners teach us',
  slug: 'what-beginners-teach-us',
  excerpt: 'After three hundred first bowls, some notes on elbows, breathing and letting go.',
  author: 'Ines Marlowe',
  tags: ['workshops'],
  image: '/images/wheel.svg',
  sections: [
    {
      type: 'text',
      fields: {
        body: `A first bowl takes about eleven minutes and lasts, on average, nine. Then it leans, and the person at the wheel looks
up as if I had seen them drop a baby. I have now watched this happen some three hundred times, and I have come to think
that the falling over is the lesson and the bowl is only the excuse.

The ones who do well are hardly ever the ones with clever hands. They are the ones who breathe out. Clay feels a held
breath: the shoulders come up, the elbows leave the knees, and the lump begins to knock.`,
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'Three sentences that help',
        body: `**Wet your hands, not the clay.** A puddle in the middle is how a pot drowns.

**Wait for it to come round.** The wheel brings every part of the pot to your fingers forty times a minute. You do not
have to go and look for it.

**Stop one pull earlier.** The last pull, the one that would make it perfect, is the one that takes it down. This works
for emails as well.`,
      },
    },
  ],
};
