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

export const whyWeFireOnce: NewEntry = {
  type: 'post',
  title: 'Why we fire once',
  slug: 'why-we-fire-once',
  excerpt: 'Most potters fire everything twice. Leaving one firing out saves gas, and asks for patience.',
  author: 'Tom Hale',
  tags: ['firing', 'kiln'],
  image: '/images/kiln.svg',
  sections: [
    {
      type: 'text',
      fields: {
        body: `The usual way is this: fire the pot to about a thousand degrees so that it becomes hard and thirsty, dip it in
glaze, fire it again, hotter. The first firing is called biscuit, like our dog. It makes glazing easy, and it uses about a
third of all the gas a pottery burns.

Four years ago, with the bill on the table, we asked whether our bowls needed it. The answer was: mostly not. A raw pot
can be glazed when it is leather hard or bone dry. It is just less forgiving. Dip it for a second too long and it
remembers that it is made of mud.`,
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'What changed',
        body: `We had to thin the glazes and add clay to them, so that they shrink together with the pot. We fire slower at the
start: sixty degrees an hour up to six hundred, because everything that used to leave in the first firing now has to
leave in this one. And we lose more. Out of a hundred pots, seven crack that would have been fine; it used to be three.

Even so, the meter says we use **31 per cent less gas** for a bowl than in 2020. We still biscuit the large plates and
anything a beginner has made, because a first pot has earned an easy life.`,
      },
    },
  ],
};

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
