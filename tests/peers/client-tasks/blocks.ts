import type { ClientSite, ClientTask } from '#tests/peers/support/client-site';

async function reworded(site: ClientSite, ref: string, from: string, to: string): Promise<void> {
  await site.reword(ref, from, to);
  await site.publish(ref);
}

function word(name: string, ref: string, from: string, to: string, differences: readonly string[]): ClientTask {
  return { name, run: (site) => reworded(site, ref, from, to), differences };
}

/** One word inside a block of each kind. */
export const words: readonly ClientTask[] = [
  word('the heading of a cover', 'home', 'Clay, by hand', 'Pots, by hand', ['page home post_content: "Clay" > "Pots"']),
  word('the text of a cover', 'home', 'still turning', 'still firing', [
    'page home post_content: "turning" > "firing"',
  ]),
  word('a word in columns in a group', 'home', 'We throw', 'We shape', ['page home post_content: "throw" > "shape"']),
  word('a marked word in columns', 'home', 'every bowl', 'every pot', ['page home post_content: "bowl" > "pot"']),
  word('a list item in columns', 'home', 'Stoneware', 'Earthenware', [
    'page home post_content: "Stoneware" > "Earthenware"',
  ]),
  word('a plugin’s block in columns', 'home', 'Fired at 1280°', 'Fired at 1300°', [
    'page home post_content: "1280" > "1300"',
  ]),
  word('a coloured paragraph with marks', 'about', 'Three potters', 'Four potters', [
    'page about post_content: "Three" > "Four"',
  ]),
  word('a marked word of a paragraph', 'about', 'a lot', 'a heap', ['page about post_content: "lot" > "heap"']),
  word('the words of a link', 'about', 'what we do', 'all we do', ['page about post_content: "what" > "all"']),
  word('a heading with an anchor', 'about', 'Who we are', 'Who we were', ['page about post_content: "are" > "were"']),
  word('the description of a resized picture', 'about', 'A bowl', 'A tea bowl', [
    'page about post_content: "" > "tea "',
  ]),
  word('the words below a picture', 'about', 'A tea bowl', 'A rice bowl', ['page about post_content: "tea" > "rice"']),
  word('a styled quote', 'about', 'best mugs', 'best cups', ['page about post_content: "mugs" > "cups"']),
  word('who is quoted', 'about', 'Ann, regular', 'Ann, neighbour', [
    'page about post_content: "regular" > "neighbour"',
  ]),
  word('media and text', 'about', 'two days to cool', 'three days to cool', [
    'page about post_content: "two" > "three"',
  ]),
  word('a cell of a table', 'team', 'Ann', 'Anna', ['page team post_content: "Ann" > "Anna"']),
  word('the words below a table', 'team', 'how long', 'how old', ['page team post_content: "long" > "old"']),
  word('a button', 'team', 'Meet us', 'Visit us', ['page team post_content: "Meet" > "Visit"']),
  word('a classic page', 'history', 'second kiln', 'third kiln', ['page history post_content: "second" > "third"']),
  word('a plugin’s block with a script', 'services', 'Slide   one', 'Slide   two', [
    'page services post_content: "one" > "two"',
  ]),
  word('a shortcode', 'services', 'days="Sat"', 'days="Sun"', ['page services post_content: "Sat" > "Sun"']),
  word('a description in a gallery', 'services', 'Bowl, blue', 'Bowl, green', [
    'page services post_content: "blue" > "green"',
  ]),
  word('HTML of its own', 'services', 'advance', 'cash', ['page services post_content: "advance" > "cash"']),
  word('a teaser before its end', 'kiln-opening', 'Sunday', 'Monday', [
    'post kiln-opening post_content: "Sunday" > "Monday"',
  ]),
  word('the last page of a post', 'kiln-opening', 'Until six', 'Until seven', [
    'post kiln-opening post_content: "six" > "seven"',
  ]),
  word('a classic post with colours', 'classic-glazes', 'green', 'grey', [
    'post classic-glazes post_content: "green" > "grey"',
  ]),
  word('a classic picture’s description', 'classic-glazes', 'Celadon bowl', 'Celadon cup', [
    'post classic-glazes post_content: "bowl" > "cup"',
  ]),
];
