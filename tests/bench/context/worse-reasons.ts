import type { Figures, Share } from '#tests/bench/context/bench-report';

interface Case {
  readonly figure: string;
  readonly ours: Figures;
  readonly peer: { readonly approach: string; readonly figures: Figures };
}

interface Reason {
  readonly figure: RegExp;
  readonly peer?: RegExp;
  /** Whether it is so in this case. Default: always. */
  readonly when?: (of: Case) => boolean;
  readonly why: (of: Case) => string;
}

const KNOWN_MEAN = 'known on average';
const percent = (share: number) => `${Math.round(share * 100)} %`;
const grouped = (value: number) => value.toLocaleString('en-US');
const part = ({ kept, of }: Share) => (of === 0 ? 1 : kept / of);
const sharesOf = ({
  retained,
  known,
  userWords,
  callNames,
  actedOn,
  recallable,
}: Figures): Readonly<Record<string, Share>> => ({
  'retained: ids': retained.id,
  'retained: numbers': retained.number,
  'retained: paths': retained.path,
  'retained: urls': retained.url,
  known,
  'user’s messages in view': userWords,
  'names from calls in view': callNames,
  'acted on': actedOn,
  recallable,
});

/** Of few needles, so many make no difference worth a reason: where ours has half as many as the peer at least. */
const CLOSE = 2;
/** Calls of a model for each change of the view: one, and one that was prepared and not used. */
const CALLS_PER_CHANGE = 2;
/** Processor time of a step that nobody notices beside a call of a model, which takes a second or more; milliseconds. */
const UNNOTICED = { median: 100, most: 1_000 };
/** A peer that shows the request in fewer than so many of our steps has paid with it for what it shows. */
const OFTEN = 0.9;

function isClose({ figure, ours, peer }: Case): boolean {
  const [own, other] = [sharesOf(ours)[figure], sharesOf(peer.figures)[figure]];
  if (own === undefined || other === undefined || own.kept * 2 < other.kept) return false;
  return part({ kept: own.kept + CLOSE, of: own.of }) >= part(other);
}

/** It is a single one that the peer has more. */
function isOneLess({ figure, ours, peer }: Case): boolean {
  const [own, other] = [sharesOf(ours)[figure], sharesOf(peer.figures)[figure]];
  return own !== undefined && other !== undefined && other.kept - own.kept === 1;
}

/** Too little to be seen in a conversation. */
const HARDLY = 0.01;

/** Ours and the peer's, on average and at the end. */
function meansOf({ figure, ours, peer }: Case) {
  const isOfNames = figure.startsWith('names');
  const read = ({ callNamesMean, callNames, userWordsMean, userWords }: Figures) =>
    isOfNames ? { mean: callNamesMean, end: callNames } : { mean: userWordsMean, end: userWords };
  return [read(ours), read(peer.figures)] as const;
}

/** The peer sends more, and has no more for each token of it. */
function isMoreForMore({ figure, ours, peer: { figures } }: Case): boolean {
  const [own, other] = [ours, figures].map((each) => {
    if (figure === KNOWN_MEAN) return { share: each.knownMean, tokens: each.tokensMean };
    return { share: part(sharesOf(each)[figure] ?? { kept: 0, of: 1 }), tokens: each.tokensAfter };
  });
  if (!own || !other || other.tokens <= own.tokens * 1.1) return false;
  return other.share / other.tokens <= own.share / own.tokens;
}

const EXACT = /^(?:retained|known|user’s messages|names from calls|acted on|recallable)/;

/** Why a figure of ours may be worse than a peer's, the first that holds. Each tells what the figures show. */
const reasons: readonly Reason[] = [
  {
    figure:
      /^(?:retained|known|user’s messages|names from calls|acted on|recallable|first request|latest request|standing|unchanged)/,
    when: ({ peer }) => peer.figures.timesOver > 0,
    why: ({ peer: { figures } }) =>
      `It asked for more than the window holds in ${figures.timesOver} of ${figures.steps} steps: a provider would have refused them.`,
  },
  {
    figure: /^model calls$/,
    when: ({ ours, peer }) => peer.figures.modelCalls === 0 && ours.modelCalls <= ours.compactions * CALLS_PER_CHANGE,
    why: () =>
      'A summary that a model writes costs a call; where no model is to be asked, the strategies ledger and middle-removal do without.',
  },
  {
    figure: /^model calls$/,
    when: ({ ours }) => ours.modelCalls <= ours.compactions * CALLS_PER_CHANGE,
    why: () =>
      'Ours prepares the next summary at the end of a turn, so that nobody waits for it: that is before the window is full, and now and then the view has changed until it is needed.',
  },
  {
    figure: /^processor time/,
    when: ({ ours: { cpu } }) => cpu.median <= UNNOTICED.median && cpu.most <= UNNOTICED.most,
    why: () =>
      'Each step stores its messages in a database file with their index for search, and reads the view from there; the peer works on a list in memory and stores nothing. A call of a model takes a second or more.',
  },
  {
    figure: EXACT,
    when: isClose,
    why: ({ figure, ours, peer }) =>
      `One or two more would be as good: ours has ${sharesOf(ours)[figure]?.kept} of ${sharesOf(ours)[figure]?.of}, it ${sharesOf(peer.figures)[figure]?.kept} of ${sharesOf(peer.figures)[figure]?.of}.`,
  },
  {
    figure: EXACT,
    when: isOneLess,
    why: ({ figure, ours, peer }) =>
      `One more, and of few: ours has ${sharesOf(ours)[figure]?.kept} of ${sharesOf(ours)[figure]?.of}, it ${sharesOf(peer.figures)[figure]?.kept} of ${sharesOf(peer.figures)[figure]?.of}.`,
  },
  {
    figure: /^(?:names|user’s messages) .* on average$/,
    when: (of) => {
      const [own, other] = meansOf(of);
      return other.mean - own.mean < HARDLY && part(own.end) >= part(other.end);
    },
    why: (of) => {
      const [own] = meansOf(of);
      return `Less than a hundredth: now and then a single one had folded. At the end ours has ${own.end.kept} of ${own.end.of}.`;
    },
  },
  {
    figure: EXACT,
    peer: /keep last|LangChain: summarization/,
    when: ({ ours, peer }) => part(peer.figures.latestRequest) < part(ours.latestRequest) * OFTEN,
    why: ({ peer: { figures } }) =>
      `It shows more of the newest tool outputs in the place of the request that they are for: that was there in ${figures.latestRequest.kept} of ${figures.latestRequest.of} steps only.`,
  },
  {
    figure: new RegExp(`^${KNOWN_MEAN}$`),
    when: isMoreForMore,
    why: ({ ours, peer: { figures } }) =>
      `It sends ${grouped(figures.tokensMean)} tokens on average, ours ${grouped(ours.tokensMean)}, and knows no more for each of them.`,
  },
  {
    figure: EXACT,
    when: isMoreForMore,
    why: ({ ours, peer: { figures } }) =>
      `It sends more at the end: ${grouped(figures.tokensAfter)} tokens, ours ${grouped(ours.tokensAfter)}. Ours leaves a quarter of what is usable free at least, so that the next compaction is far off.`,
  },
  {
    figure: /^(?:retained|known$|acted on)/,
    when: ({ ours, peer: { figures } }) => ours.knownMean > figures.knownMean,
    why: ({ ours, peer: { figures } }) =>
      `The end is one moment, at which ours had compacted not long ago: on average of all steps it knows ${percent(figures.knownMean)}, ours ${percent(ours.knownMean)}.`,
  },
  {
    figure: /^retained/,
    when: ({ ours, peer: { figures } }) => part(ours.known) >= part(figures.known),
    why: ({ ours, peer: { figures } }) =>
      `It is of what each no longer shows word for word, which is not the same: of everything ours knows ${percent(part(ours.known))}, it ${percent(part(figures.known))}.`,
  },
  {
    figure: EXACT,
    peer: /pruneMessages/,
    when: ({ ours, peer }) => part(peer.figures.known) < part(ours.known),
    why: ({ ours, peer }) =>
      `It keeps all words of both sides, and what they name, and no tool call or result; of everything it knows ${percent(part(peer.figures.known))}, ours ${percent(part(ours.known))}. Ours keeps the older words in the scripted summary, which looks for nothing exact.`,
  },
  {
    figure: /^user’s messages in view/,
    peer: /pruneMessages/,
    why: () =>
      'It keeps all words of both sides and nothing that was done. Ours gives the user’s words two fifths of the room; what is folded, the oldest first, is counted and found by one search.',
  },
  {
    figure: /^unchanged prefix$/,
    peer: /pruneMessages/,
    why: () =>
      'It never looks at the window: it takes out tool calls shortly after they were made, near the end of what is sent, so that what lies before stays the same.',
  },
  {
    figure: /^unchanged prefix$/,
    when: ({ ours, peer }) => ours.compactions > peer.figures.compactions,
    why: ({ ours, peer }) =>
      `Ours changed what was sent before ${ours.compactions} times, it ${peer.figures.compactions} times: clearing old tool outputs is such a change too, and what each view begins with (summary, requests, wishes, what was worked on) leaves less room until the next one.`,
  },
];

/** @returns null where none holds */
export function reasonFor(figure: string, ours: Figures, peer: Case['peer']): string | null {
  const of = { figure, ours, peer };
  const reason = reasons.find(
    (each) => each.figure.test(figure) && (each.peer?.test(peer.approach) ?? true) && (each.when?.(of) ?? true),
  );
  return reason?.why(of) ?? null;
}
