/* A person builds a small site for a bakery, in 60 requests. */

const PAGES = [
  ['Our breads', 'our-breads', 'Rye, wheat and spelt, baked before dawn.'],
  ['About us', 'about-us', 'Nine bakers, two ovens & one cat.'],
  ['Find us', 'find-us', 'Mill Lane 4, behind the old pump.'],
  ['Catering', 'catering', 'Trays of rolls for offices and weddings.'],
  ['Größe & 日本', 'japan', 'Milk bread after a recipe from Kobe.'],
] as const;

const POSTS = [
  ['Why rye is slow', 'Rye needs three days of patience.'],
  ['Spelt season', 'The first spelt came in on Monday.'],
  ['A new oven', 'It weighs four tons and came by boat.'],
] as const;

/** What visitors must read in the end, by the path of the page that must show it. */
export const BAKERY_SHOWS: Readonly<Record<string, readonly string[]>> = {
  '/our-breads/': [
    'Rye, wheat and spelt, baked before dawn.',
    'Seven kinds a day',
    'Do you slice?',
    'Yes, while you wait.',
  ],
  '/about-us/': ['Nine bakers, two ovens', 'Best rye in town', 'Our bakers', 'Warm hands'],
  '/find-us/': ['Mill Lane 4, behind the old pump.', 'By bus', 'Line 12 stops at the pump.'],
  '/catering-trays/': ['Trays of rolls for offices and weddings.', 'Order by noon'],
  '/japan/': ['Milk bread after a recipe from Kobe.'],
  '/spelt-season/': ['The first spelt came in on Monday.'],
  '/sample-page/': ['Hi there! I’m a bike messenger by day', 'We bake for couriers.'],
  '/': ['Corner Bakery', 'Our breads', 'Find us'],
};

const q = (text: string) => `"${text}"`;

/** The requests, in their order. */
export const BAKERY_REQUESTS: readonly string[] = [
  'Change the site name to "Corner Bakery".',
  'Set the tagline to "Bread, daily"',
  'Always use British spelling.',
  ...PAGES.map(
    ([title, slug, text]) => `Create a page called ${q(title)} with the slug ${q(slug)} with the text ${q(text)}`,
  ),
  ...POSTS.map(([title, text]) => `Create a post called ${q(title)} with the text ${q(text)} and the tags bread, news`),
  'Show "Our breads"',
  'Add a hero section to "Our breads" with the heading "Seven kinds a day" and the subheading "And cake on Sundays"',
  'Add a faq section to "Our breads" with the question "Do you slice?" and the answer "Yes, while you wait."',
  'Add a question "Do you freeze?" with the answer "Never." to the faq on "Our breads"',
  'Publish "Our breads"',
  'Add "Our breads" to the navigation',
  'Add a quote section to "About us" with the quote "Best rye in town" by "Ann"',
  'Add a features section to "About us" with the feature "Warm hands" and the text "From kneading"',
  'Add a text section to "About us" saying "A text that goes away again"',
  'Remove the second text section from "About us"',
  'Add a hero section to "About us" with the heading "The bakers" and the subheading "Who we are"',
  'Change the hero heading on "About us" to "Our bakers"',
  'Move the hero section on "About us" to the top',
  'Set the excerpt of "About us" to "Who bakes."',
  'Add a posts list to "About us" with count 2',
  'Publish "About us"',
  'Add "About us" to the navigation as "Who we are"',
  'List the pages',
  'Add a features section to "Find us" with the feature "By bus" and the text "Line 12 stops at the pump."',
  'Add a feature "By bike" with the text "There are racks." to the features on "Find us"',
  'Publish "Find us"',
  'Add "Find us" to the navigation',
  'Add a call to action at the bottom of Catering with the heading "Order by noon", the button "Write to us" and the link "/our-breads"',
  'Set the slug of Catering to catering-trays',
  'Publish Catering',
  'Show Catering',
  'Add a text section to "Sample Page" saying "We bake for couriers."',
  'Publish "Sample Page"',
  'Publish "Größe & 日本"',
  'Publish "Why rye is slow"',
  'Publish "Spelt season"',
  'Rename "A new oven" to "Our new oven"',
  'Publish "Our new oven"',
  'Set the tags of "Spelt season" to bread, spelt',
  'Publish "Spelt season"',
  'Find posts about rye',
  'Create a page called "Careers" with the text "We look for a baker."',
  'Publish Careers',
  'Add Careers to the navigation',
  'Remove Careers from the navigation',
  'Delete the Careers page',
  'What changed recently?',
  'Unpublish "Our new oven"',
  'Add a text section to "Our breads" saying "Sold out by eleven."',
  'Change the text of the last text section on "Our breads" to "Sold out by ten."',
  'Publish "Our breads"',
  'Set the tagline to "Bread and buns, daily"',
  'List the posts',
  'Show "Our breads"',
];
