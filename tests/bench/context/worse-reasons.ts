import type { Figures, Share } from '#tests/bench/context/bench-report';

interface Case {
  readonly figure: string;
  readonly ours: Figures;
  readonly peer: { readonly approach: string; readonly figures: Figures };
}

interface Reason {
  readonly figure: RegExp;
  readonly peer?: RegExp;
  /** Whether the reason applies. Default: always. */
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

/** A difference of at most this many facts is negligible if ours has at least half as many as the peer. */
const CLOSE = 2;
/** Model calls per change of the view: one, and one prepared summary that was not used. */
const CALLS_PER_CHANGE = 2;
/** Processor time of a step, in ms, that is negligible compared with a model call of a second or more. */
const UNNOTICED = { median: 100, most: 1_000 };
/** Share of our steps with the newest request below which a peer has traded the request for tool outputs. */
const OFTEN = 0.9;

function isClose({ figure, ours, peer }: Case): boolean {
  const [own, other] = [sharesOf(ours)[figure], sharesOf(peer.figures)[figure]];
  if (own === undefined || other === undefined || own.kept * 2 < other.kept) return false;
  return part({ kept: own.kept + CLOSE, of: own.of }) >= part(other);
}

/** The peer has exactly one more. */
function isOneLess({ figure, ours, peer }: Case): boolean {
  const [own, other] = [sharesOf(ours)[figure], sharesOf(peer.figures)[figure]];
  return own !== undefined && other !== undefined && other.kept - own.kept === 1;
}

/** A share that is not noticeable in a conversation. */
const HARDLY = 0.01;

/** Our and the peer's figures, on average and at the end. */
function meansOf({ figure, ours, peer }: Case) {
  const isOfNames = figure.startsWith('names');
  const read = ({ callNamesMean, callNames, userWordsMean, userWords }: Figures) =>
    isOfNames ? { mean: callNamesMean, end: callNames } : { mean: userWordsMean, end: userWords };
  return [read(ours), read(peer.figures)] as const;
}

/** The peer sends more tokens and has no more facts per token. */
function isMoreForMore({ figure, ours, peer: { figures } }: Case): boolean {
  const [own, other] = [ours, figures].map((each) => {
    if (figure === KNOWN_MEAN) return { share: each.knownMean, tokens: each.tokensMean };
    return { share: part(sharesOf(each)[figure] ?? { kept: 0, of: 1 }), tokens: each.tokensAfter };
  });
  if (!own || !other || other.tokens <= own.tokens * 1.1) return false;
  return other.share / other.tokens <= own.share / own.tokens;
}

const EXACT = /^(?:retained|known|user’s messages|names from calls|acted on|recallable)/;

/** Reasons why a figure of ours can be worse than a peer's; the first that applies is used. */
const reasons: readonly Reason[] = [
  {
    figure:
      /^(?:retained|known|user’s messages|names from calls|acted on|recallable|first request|latest request|standing|unchanged)/,
    when: ({ peer }) => peer.figures.timesOver > 0,
    why: ({ peer: { figures } }) =>
      `It exceeded the window in ${figures.timesOver} of ${figures.steps} steps; a provider would have refused these requests.`,
  },
  {
    figure: /^model calls$/,
    when: ({ ours, peer }) => peer.figures.modelCalls === 0 && ours.modelCalls <= ours.compactions * CALLS_PER_CHANGE,
    why: () => 'A summary that a model writes costs a call. The strategies ledger and middle-removal need none.',
  },
  {
    figure: /^model calls$/,
    when: ({ ours }) => ours.modelCalls <= ours.compactions * CALLS_PER_CHANGE,
    why: () =>
      'Ours prepares the next summary in the background at the end of a turn, before the window is full. Sometimes the view changes before it is needed.',
  },
  {
    figure: /^processor time/,
    when: ({ ours: { cpu } }) => cpu.median <= UNNOTICED.median && cpu.most <= UNNOTICED.most,
    why: () =>
      'Each step of ours stores its messages with a search index in a database file and reads the view from it; the other approach works on a list in memory. A model call takes a second or more.',
  },
  {
    figure: EXACT,
    when: isClose,
    why: ({ figure, ours, peer }) =>
      `A difference of one or two: ours has ${sharesOf(ours)[figure]?.kept} of ${sharesOf(ours)[figure]?.of}, the other ${sharesOf(peer.figures)[figure]?.kept} of ${sharesOf(peer.figures)[figure]?.of}.`,
  },
  {
    figure: EXACT,
    when: isOneLess,
    why: ({ figure, ours, peer }) =>
      `A difference of one: ours has ${sharesOf(ours)[figure]?.kept} of ${sharesOf(ours)[figure]?.of}, the other ${sharesOf(peer.figures)[figure]?.kept} of ${sharesOf(peer.figures)[figure]?.of}.`,
  },
  {
    figure: /^(?:names|user’s messages) .* on average$/,
    when: (of) => {
      const [own, other] = meansOf(of);
      return other.mean - own.mean < HARDLY && part(own.end) >= part(other.end);
    },
    why: (of) => {
      const [own] = meansOf(of);
      return `Less than 1 %: sometimes a single one had folded. At the end ours has ${own.end.kept} of ${own.end.of}.`;
    },
  },
  {
    figure: EXACT,
    peer: /keep last|LangChain: summarization/,
    when: ({ ours, peer }) => part(peer.figures.latestRequest) < part(ours.latestRequest) * OFTEN,
    why: ({ peer: { figures } }) =>
      `It shows more of the newest tool outputs instead of the newest request, which it had in ${figures.latestRequest.kept} of ${figures.latestRequest.of} steps only.`,
  },
  {
    figure: new RegExp(`^${KNOWN_MEAN}$`),
    when: isMoreForMore,
    why: ({ ours, peer: { figures } }) =>
      `It sends ${grouped(figures.tokensMean)} tokens on average, ours ${grouped(ours.tokensMean)}; per token it knows no more.`,
  },
  {
    figure: EXACT,
    when: isMoreForMore,
    why: ({ ours, peer: { figures } }) =>
      `It sends more at the end: ${grouped(figures.tokensAfter)} tokens, ours ${grouped(ours.tokensAfter)}. Ours leaves at least a quarter of the usable tokens free, which delays the next compaction.`,
  },
  {
    figure: /^(?:retained|known$|acted on)/,
    when: ({ ours, peer: { figures } }) => ours.knownMean > figures.knownMean,
    why: ({ ours, peer: { figures } }) =>
      `Ours had just compacted at the end. On average of all steps ours knows ${percent(ours.knownMean)}, the other ${percent(figures.knownMean)}.`,
  },
  {
    figure: /^retained/,
    when: ({ ours, peer: { figures } }) => part(ours.known) >= part(figures.known),
    why: ({ ours, peer: { figures } }) =>
      `The base differs: facts in messages that the approach no longer shows word for word. Of all facts ours knows ${percent(part(ours.known))}, the other ${percent(part(figures.known))}.`,
  },
  {
    figure: EXACT,
    peer: /pruneMessages/,
    when: ({ ours, peer }) => part(peer.figures.known) < part(ours.known),
    why: ({ ours, peer }) =>
      `It keeps all text of both sides and no tool call or result: of all facts it knows ${percent(part(peer.figures.known))}, ours ${percent(part(ours.known))}. Ours has older text in the scripted summary, which keeps no exact facts.`,
  },
  {
    figure: /^user’s messages in view/,
    peer: /pruneMessages/,
    why: () =>
      'It keeps all text of both sides and no actions. Ours gives the user’s words two fifths of the token budget; folded words, the oldest first, are counted and found by one search.',
  },
  {
    figure: /^unchanged prefix$/,
    peer: /pruneMessages/,
    why: () =>
      'It ignores the window and removes tool calls soon after they were made, near the end of the request, so the earlier part stays the same.',
  },
  {
    figure: /^unchanged prefix$/,
    when: ({ ours, peer }) => ours.compactions > peer.figures.compactions,
    why: ({ ours, peer }) =>
      `Ours changed the view ${ours.compactions} times, the other ${peer.figures.compactions} times. Clearing old tool outputs counts, and the exact parts of a summary leave fewer tokens until the next change.`,
  },
];

/** @returns null if none applies */
export function reasonFor(figure: string, ours: Figures, peer: Case['peer']): string | null {
  const of = { figure, ours, peer };
  const reason = reasons.find(
    (each) => each.figure.test(figure) && (each.peer?.test(peer.approach) ?? true) && (each.when?.(of) ?? true),
  );
  return reason?.why(of) ?? null;
}
