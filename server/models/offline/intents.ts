import {
  type Clause,
  isStanding,
  nameOf,
  PLACE_PATTERN,
  placeOf,
  siteRule,
  valueOf,
  verbatim,
  withoutCourtesy,
} from '#server/models/offline/grammar';
import {
  ASK,
  CHANGE,
  changes,
  countOf,
  DETAIL,
  detail,
  entryType,
  type Groups,
  MENU,
  ON,
  readAddSection,
  readChange,
  readItem,
  readList,
  readNewEntry,
  readSetting,
  SECTION,
  sectionOf,
  SETTING,
  TO,
} from '#server/models/offline/request-readers';
import type { Request } from '#server/models/offline/requests';
import { LABEL_PATTERN, TYPE_PATTERN } from '#server/models/offline/section-words';

/** Null: the pattern matched, but this is not the request after all. */
type Read = (groups: Groups, quotes: Clause['quotes']) => Request | null;

/** Longer clauses are not read: whoever pastes that much is asked to put it in quotation marks. */
const MAX_CLAUSE_LENGTH = 20_000;

/** The first pattern that matches a clause decides, so narrow ones stand before wide ones. */
const intents: readonly (readonly [pattern: RegExp, read: Read])[] = [
  // The conversation itself.
  intent(
    `(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you)(?: (?:there|throughline|very much))?`,
    () => ({ intent: 'greeting' }),
  ),
  intent(`help(?: me)?|what can (?:you|i) (?:do|ask|say)(?: (?:here|offline|for me))?|how does this work`, () => ({
    intent: 'help',
  })),
  intent(
    `(?:what|which)(?: \\w+){1,3} (?:ask(?:ed)?|request(?:ed)?|want(?:ed)?|tell|told|say|said)(?: you)?(?: (?:for|to do))? first|what was (?:my|the) (?:very )?(?:first|original) (?:request|message|task|question)`,
    () => ({ intent: 'first-request' }),
  ),
  intent(
    `what (?:have|did|has) (?:we|you|i|been) (?:done|do|changed?|accomplish(?:ed)?|made|make)(?: so far| (?:here|today|until now|in this (?:session|conversation|chat)))*|(?:recap|summari[sz]e) (?:what (?:we|you)(?: have|'ve|’ve)? (?:did|done)|our work|the work)(?: so far)?`,
    () => ({ intent: 'done-so-far' }),
  ),
  intent(
    `(?:(?:what are|${ASK}|repeat|recap) )(?:my|your|our|the|all)(?: my| the)? (?:standing )?(?:instructions|rules|preferences)`,
    () => ({ intent: 'standing-list' }),
  ),

  // Looking.
  intent(
    `(?:${ASK}|what(?: is| are|'s|’s)|which)(?: all)?(?: of)?(?: the| my| our)? (?<what>(?:(?:the )?(?:pages|posts|blog posts|articles|navigation|nav|menu|settings|site settings|site name|tagline)(?:,? and |, )?)+)(?: (?:do )?(?:we|i|you) have| are there| exist)?`,
    readList,
  ),
  intent(`(?:what|which) (?<what>pages|posts|articles) (?:do (?:we|i) have|are there|exist)`, readList),
  intent(
    `(?:what|which) (?:section types|sections|kinds of sections?)(?: types)? (?:are there|exist|do you know|can i add|can you add)|describe (?:the )?sections?(?: types)?|${ASK} (?:the )?section types`,
    () => ({ intent: 'section-types' }),
  ),
  intent(`what is (?:planned|scheduled)|${ASK} (?:what is |the )?(?:planned|scheduled)(?: publications)?`, () => ({
    intent: 'planned',
  })),
  intent(
    `what(?: has|'s|’s| was| have)? (?:recently )?(?:been )?changed(?: recently| lately)?(?: ${ON} (?<ref>.+?))?(?: recently| lately)?|${ASK} (?:the )?(?:recent changes|latest changes|changes|history|revisions)(?: ${ON} (?<ref2>.+))?`,
    (g, quotes) => changes(g.ref ?? g.ref2, quotes),
  ),
  intent(`(?:recall|${ASK})(?: the)?(?: cleared)?(?: output)? (?<id>prt_\\w+)`, (g) => ({
    intent: 'recall',
    id: g.id ?? '',
  })),
  intent(
    `(?:find|search|search for|look for|look up)(?: (?:me|all|all the|the|any))? (?<type>pages|posts|articles)(?: (?:about|for|with|on|mentioning|containing|that mention) (?<query>.+))`,
    (g, quotes) => ({ intent: 'find', query: valueOf(g.query ?? '', quotes), type: entryType(g.type) }),
  ),
  intent(
    `(?:find|search|search for|look for|look up)(?: (?:anything|everything|content|the site|pages and posts|posts and pages))?(?: (?:about|for|on|mentioning|containing))? (?<query>.+)`,
    (g, quotes) => ({ intent: 'find', query: valueOf(g.query ?? '', quotes) }),
  ),

  // Navigation, before anything else that adds and removes.
  intent(
    `(?:add|put|include) (?<name>.+?) (?:to|in|into|on) ${MENU}(?: (?:as|labelled|with the label) (?<label>.+))?`,
    (g, quotes) => ({
      intent: 'add-to-navigation',
      name: nameOf(g.name, quotes),
      ...(g.label === undefined ? {} : { label: valueOf(g.label, quotes) }),
    }),
  ),
  intent(`(?:remove|delete|drop|take) (?<name>.+?) (?:from|off|out of) ${MENU}`, (g, quotes) => ({
    intent: 'remove-from-navigation',
    name: nameOf(g.name, quotes),
  })),

  // Sections.
  intent(
    `add (?:a |an |the |another )?(?:new )?(?<kind>question|feature):? (?<first>.+?),? (?:(?:with|and) (?:the )?(?:answer|text|description|body)|answered(?: with)?):? (?<second>.+) (?:to|in|on) (?:the )?(?:faq|features)(?: section| list)?(?: ${ON} (?<ref>.+))?`,
    readItem,
  ),
  intent(
    `(?:add|insert|put|create|include) (?:a |an |another |the |one )?(?:new )?(?<section>${TYPE_PATTERN})(?: section| block)?(?<rest>,?(?: .*|:.*)?)`,
    readAddSection,
  ),
  intent(
    `move (?:the )?${SECTION}(?: section| block)?(?: ${ON} (?<ref>.+?))? (?:to|up to|down to|in) (?:the )?(?<place>${PLACE_PATTERN})(?: ${ON} (?<ref2>.+))?`,
    (g, quotes) => ({
      intent: 'move-section',
      ...sectionOf(g),
      ref: nameOf(g.ref ?? g.ref2, quotes),
      position: placeOf(g.place ?? 'top'),
    }),
  ),
  intent(
    `(?:remove|delete|drop|take out) (?:the )?${SECTION} (?:section|block)(?: ${ON} (?<ref>.+))?`,
    (g, quotes) => ({ intent: 'remove-section', ...sectionOf(g), ref: nameOf(g.ref, quotes) }),
  ),
  intent(`(?:remove|delete|drop|take out) (?:the )?${SECTION} ${ON} (?<ref>.+)`, (g, quotes) => ({
    intent: 'remove-section',
    ...sectionOf(g),
    ref: nameOf(g.ref, quotes),
  })),

  // Settings.
  intent(
    `${CHANGE} (?:the |our )?(?:site(?:'s|’s) )?(?<setting>${SETTING})(?: ${ON} the site)? ${TO} (?<value>.+)`,
    readSetting,
  ),
  intent(`make the (?<setting>accent colou?r) (?<value>.+)`, readSetting),

  // Details of pages and posts.
  intent(`(?:rename|retitle) (?<ref>.+?) (?:to|as) (?<value>.+)`, (g, quotes) =>
    detail('title', g.ref, g.value, quotes),
  ),
  intent(`tag (?<ref>.+?) (?:with|as) (?<value>.+)`, (g, quotes) => detail('tags', g.ref, g.value, quotes)),
  intent(
    `${CHANGE} (?:the )?(?<detail>${DETAIL}) (?:of|on|for) (?!the (?:${TYPE_PATTERN}) )(?<ref>.+?) ${TO} (?<value>.+)`,
    (g, quotes) => detail(g.detail, g.ref, g.value, quotes),
  ),
  intent(`${CHANGE} (?:the |its )(?<detail>${DETAIL}) ${TO} (?<value>.+)`, (g, quotes) =>
    detail(g.detail, undefined, g.value, quotes),
  ),
  intent(`${CHANGE} (?<ref>[^ ].*?)(?:'s|’s) (?<detail>${DETAIL}) ${TO} (?<value>.+)`, (g, quotes) =>
    detail(g.detail, g.ref, g.value, quotes),
  ),

  // Fields of sections.
  intent(
    `${CHANGE} (?:the )?(?<label>${LABEL_PATTERN}) ${ON} (?:the )?${SECTION}(?: section)?(?: ${ON} (?<ref>.+?))? ${TO} (?<value>.+)`,
    readChange,
  ),
  intent(
    `${CHANGE} (?:the )?${SECTION}(?:(?:'s|’s)? section(?:'s|’s)?|'s|’s)? (?<label>${LABEL_PATTERN})(?: ${ON} (?<ref>.+?))? ${TO} (?<value>.+)`,
    readChange,
  ),
  intent(
    `${CHANGE} (?<ref>[^ ].*?)(?:'s|’s) (?:${SECTION} )?(?<label>${LABEL_PATTERN}) ${TO} (?<value>.+)`,
    readChange,
  ),
  intent(`${CHANGE} (?:the )?(?<label>${LABEL_PATTERN})(?: ${ON} (?<ref>.+?))? ${TO} (?<value>.+)`, readChange),

  // Whole pages and posts.
  intent(
    `(?:create|make|add|write|build|start) (?:me )?(?:a |an |another |one )?(?:new )?(?:draft )?(?<type>page|blog post|post|article)(?<rest>.*)`,
    (g, quotes) => readNewEntry(entryType(g.type), g.rest ?? '', quotes),
  ),
  intent(
    `(?:create|make|add|write|build|start) (?:me )?(?:a |an |another |the )?(?:new )?(?<title>.{1,300}?) (?<type>page|blog post|post|article)(?<rest>(?: (?:about|with|saying) .*)?)`,
    (g, quotes) => readNewEntry(entryType(g.type), ` called ${g.title ?? ''}${g.rest ?? ''}`, quotes),
  ),
  intent(`(?:unpublish|take down) (?<ref>.+)|take (?<ref2>.+) (?:down|offline|off the site)`, (g, quotes) => ({
    intent: 'unpublish',
    ref: nameOf(g.ref ?? g.ref2, quotes),
  })),
  intent(
    `publish (?<ref>.+?) on (?<day>\\d{4}-\\d\\d-\\d\\d) at (?<hour>\\d{1,2}):(?<minute>\\d\\d)`,
    ({ ref, day, hour = '', minute }, quotes) => ({
      intent: 'publish',
      ref: nameOf(ref, quotes),
      at: `${day}T${hour.padStart(2, '0')}:${minute}`,
    }),
  ),
  intent(`cancel (?:the )?(?:planned )?publication of (?<ref>.+)`, (g, quotes) => ({
    intent: 'publish',
    ref: nameOf(g.ref, quotes),
    at: 'never',
  })),
  intent(`(?:publish|republish|put live) (?<ref>.+)|(?:make|put|set) (?<ref2>.+) live`, (g, quotes) => ({
    intent: 'publish',
    ref: nameOf(g.ref ?? g.ref2, quotes),
  })),
  intent(
    `(?:undo|revert|take back)(?: (?:(?<id>chg_\\w+)|(?:the |my |your )?last (?:(?<times>\\d|two|three) )?(?:changes?|one|thing|edits?)|that|it|this|your last change|that change|the change (?<id2>chg_\\w+)))?(?: again)?`,
    (g) => {
      const changeId = g.id ?? g.id2;
      return { intent: 'undo', times: countOf(g.times), ...(changeId === undefined ? {} : { changeId }) };
    },
  ),
  intent(`(?:delete|remove|trash|get rid of) (?<ref>.+)`, (g, quotes) => ({
    intent: 'delete',
    ref: nameOf(g.ref, quotes),
  })),
  intent(`(?:${ASK}|open|read|display|look at|what is on|what's on|what’s on) (?<ref>.+)`, (g, quotes) => ({
    intent: 'show',
    ref: nameOf(g.ref, quotes),
  })),
];

/** What a clause asks for; `unknown` where nothing fits. */
export function recognize(clause: Clause): Request {
  if (isStanding(clause.text)) {
    const rule = siteRule(clause);
    return rule === null ? { intent: 'standing', text: verbatim(clause) } : { intent: 'remember', text: rule };
  }
  const unknown = { intent: 'unknown', text: verbatim(clause) } as const;
  if (clause.text.length > MAX_CLAUSE_LENGTH) return unknown;
  // "thanks" alone is a greeting, not a courtesy to strip.
  const text = withoutCourtesy(clause.text);
  for (const [pattern, read] of intents) {
    const match = pattern.exec(text);
    const request = match ? read(match.groups ?? {}, clause.quotes) : null;
    if (request) return request;
  }
  return unknown;
}

function intent(source: string, read: Read): readonly [RegExp, Read] {
  return [new RegExp(`^(?:${source})$`, 'is'), read];
}
