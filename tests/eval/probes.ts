import type { Section } from '#server/core/site/content';
import type { Facts } from '#tests/eval/facts';
import type { Probe } from '#tests/eval/probe';
import { normalize, type Score, scoreAnswer, scoreWork } from '#tests/eval/score';
import { entryCalled, type Site, type SiteEntry, wordsOf } from '#tests/eval/site';
import { CHANGED_PAGE, FIRST_PAGE, standingOf } from '#tests/eval/talk';

/** Said before a question about facts: an answer that is looked up on the site does not show memory. */
const FROM_MEMORY = 'Answer from our conversation, without looking at the site.';

/** What is asked when the talk is over, in order. The last is work in many steps, which moves the context on. */
export function probesOf(facts: Facts): Probe[] {
  return [...recall(facts), ...artifact(), ...decision(facts), ...continuation(facts)];
}

function recall({ openingHours, phone, resellerCode, pressKit, dayPrice }: Facts): Probe[] {
  const ask = (question: string, token: string): Probe => ({
    kind: 'recall',
    question: `${question} ${FROM_MEMORY}`,
    offlineQuestion: null,
    score: (answer) => scoreAnswer(answer, { all: [token] }),
  });
  return [
    {
      kind: 'recall',
      question: 'What did I ask for first in this conversation? Quote it word for word.',
      offlineQuestion: 'What did I ask first?',
      score: (answer) => scoreAnswer(answer, { all: [FIRST_PAGE, openingHours, phone] }),
    },
    ask('Which phone number did I give for the studio? Write it exactly as I did.', phone),
    ask('What is the code of our resellers?', resellerCode),
    ask('What is the address of the press kit, in full?', pressKit),
    ask('What does a day in the studio cost from May on, in euros with cents?', dayPrice),
  ];
}

function artifact(): Probe[] {
  return [
    {
      kind: 'artifact',
      question: `Which pages and posts did you create in this conversation? Give the slug of every one of them. ${FROM_MEMORY}`,
      offlineQuestion: 'What have we done so far?',
      score: (answer, site) => scoreAnswer(answer, { all: site.map(({ slug }) => slug) }),
    },
    {
      kind: 'artifact',
      question: `What is the id of the page "${FIRST_PAGE}"? Only the id.`,
      offlineQuestion: null,
      score: (answer, site) =>
        onPage(site, FIRST_PAGE, ({ id }) => scoreAnswer(answer, { all: [id], none: idsOf(site, CHANGED_PAGE) })),
    },
    {
      kind: 'artifact',
      question: `What is the id of the quote section on "${CHANGED_PAGE}"? Only the id.`,
      offlineQuestion: null,
      score: (answer, site) => onSection(site, 'quote', ({ id }) => scoreAnswer(answer, { all: [id] })),
    },
    {
      kind: 'artifact',
      question: `To which words did I have the hero heading on "${CHANGED_PAGE}" changed? ${FROM_MEMORY}`,
      offlineQuestion: `Show "${CHANGED_PAGE}"`,
      score: (answer, site) =>
        onSection(site, 'hero', ({ fields }) => scoreAnswer(answer, { all: [headingOf(fields)] })),
    },
  ];
}

function decision({ layouts, ...facts }: Facts): Probe[] {
  const title = 'Open Studio Weekend';
  return [
    {
      kind: 'decision',
      question: 'What are my standing instructions? Quote each of them word for word.',
      offlineQuestion: 'What are my standing instructions?',
      score: (answer) =>
        scoreAnswer(answer, { all: standingOf(facts).map((sentence) => sentence.replace(/^From now on, /, '')) }),
    },
    {
      kind: 'decision',
      question: 'Which of the two layouts did we decide for? Answer with its name alone.',
      offlineQuestion: null,
      score: (answer) => scoreAnswer(answer, { all: [layouts.chosen], none: [layouts.rejected] }),
    },
    {
      kind: 'decision',
      question: `Create a page called "${title}" with two short sections about a weekend on which visitors try the wheel. Mention the newsletter and how often it comes.`,
      offlineQuestion: null,
      score: (_answer, site) =>
        scoreWork(`"${title}" as the standing instructions want it`, wrongWithNewPage(site, title, facts.bannedWord)),
    },
  ];
}

function wrongWithNewPage(site: Site, title: string, bannedWord: string): string[] {
  const page = entryCalled(site, title);
  if (page === null) return [`there is not exactly one page "${title}"`];
  const words = normalize(wordsOf(page)).split(/[^\p{L}]+/u);
  const isWeekly = /weekly|(every|each|once a|per) week(?!\p{L})/u.test(words.join(' '));
  return [
    ...(page.sections.at(-1)?.type === 'call-to-action' ? [] : ['it does not end with a call to action']),
    ...(words.includes(bannedWord) ? [`it says "${bannedWord}"`] : []),
    ...(isWeekly ? [] : ['it does not say "weekly"']),
  ];
}

function continuation({ plan }: Facts): Probe[] {
  const [made, left] = [plan.slice(0, 2), plan.slice(2)];
  const list = WORK_TITLES.map((title, index) => ({ title, text: workText(title, index) }));
  const work = list.map(({ title, text }) => `- create a page called "${title}" with the text "${text}"`).join('\n');
  return [
    {
      kind: 'continuation',
      question: 'Of the four pages for the new corner of the site, which are still to be made? Only their titles.',
      offlineQuestion: null,
      score: (answer) => scoreAnswer(answer, { all: left, none: made }),
    },
    {
      kind: 'continuation',
      question:
        'Go on with the new corner of the site: create the pages of it that are missing, each with one sentence.',
      offlineQuestion: null,
      score: (_answer, site, before) =>
        scoreWork(`${plan.join(', ')}, each once, and nothing else`, [
          ...notOnce(site, plan),
          ...unwanted(site, before, left),
        ]),
    },
    {
      kind: 'continuation',
      question: work,
      offlineQuestion: work,
      score: (_answer, site, before) =>
        scoreWork(`${list.length} pages, each once and with its text, and nothing else`, [
          ...notOnce(site, WORK_TITLES),
          ...unwanted(site, before, WORK_TITLES),
          ...list.flatMap(({ title, text }) => {
            const page = entryCalled(site, title);
            return page === null || normalize(wordsOf(page)).includes(normalize(text))
              ? []
              : [`"${title}" has another text`];
          }),
        ]),
    },
  ];
}

/** So many that in a small window the context mostly overflows while they are made. */
const WORK_TITLES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].flatMap((day) =>
  ['Morning', 'Evening'].map((time) => `${day} ${time} Course`),
);

function workText(title: string, index: number): string {
  const place = `The ${title} has ${4 + index} places at the long table, and one more for whoever only wants to watch. `;
  return `${place}${'We begin with clay that is already wedged, and nobody goes home without a bowl. '.repeat(6)}`.trim();
}

/** Titles that not exactly one page has. */
function notOnce(site: Site, titles: readonly string[]): string[] {
  return titles.flatMap((title) => {
    const count = site.filter((entry) => entry.title === title).length;
    return count === 1 ? [] : [`"${title}" is there ${count} times`];
  });
}

function headingOf({ heading }: Section['fields']): string {
  return typeof heading === 'string' ? heading : '';
}

function idsOf(site: Site, title: string): string[] {
  return site.filter((entry) => entry.title === title).map(({ id }) => id);
}

/** What was created since, other than those titles. */
function unwanted(site: Site, before: Site, titles: readonly string[]): string[] {
  const known = new Set(before.map(({ id }) => id));
  return site
    .filter(({ id, title }) => !known.has(id) && !titles.includes(title))
    .map(({ title }) => `"${title}" was not asked for`);
}

function onPage(site: Site, title: string, score: (page: SiteEntry) => Score): Score {
  const page = entryCalled(site, title);
  return page ? score(page) : scoreWork(`a page "${title}"`, ['it was never made, or twice']);
}

function onSection(site: Site, type: Section['type'], score: (section: Section) => Score): Score {
  return onPage(site, CHANGED_PAGE, ({ sections }) => {
    const section = sections.find((each) => each.type === type);
    return section ? score(section) : scoreWork(`a ${type} section on "${CHANGED_PAGE}"`, ['it was never made']);
  });
}
