import { number, plural } from '#components/format.ts';
import { inYourLanguage, wordOf } from '#components/in-your-language.ts';
import { strategyWords } from '#components/ui/compaction-words.ts';
import type { StrategyName } from '#server/core/conversation/compactions';
import type { SettingGroup } from '#server/core/admin/settings-report';

/** Titles and descriptions of the groups of settings, in display order. */
const groups: Record<SettingGroup, { readonly title: string; readonly body: string }> = {
  models: {
    title: 'Models',
    body: 'Which model answers, which ones write summaries and look at pictures, and the window of a model that does not report one.',
  },
  budgets: {
    title: 'Budgets',
    body: 'What models may cost. Counted from what providers report, else from list prices.',
  },
  strategies: {
    title: 'Strategy',
    body: 'When a conversation is compacted, and how. A single compaction can name another strategy.',
  },
  limits: {
    title: 'Context limits',
    body: 'Tokens of a model’s window that are reserved for the answer and for a summary.',
  },
  tools: {
    title: 'Tools',
    body: 'What the assistant may do by itself, and how much a tool may return.',
  },
  steps: {
    title: 'Turns and steps',
    body: 'How long the assistant may work on one request.',
  },
  visitors: {
    title: 'Address of the site',
    body: 'Where visitors reach the published site is set by SITE_URL when the server is started.',
  },
  pruning: {
    title: 'Pruning',
    body: 'Old tool outputs are cleared from what the model sees before anything is summarized. They stay readable.',
  },
};

/** Labels of the settings. */
const labels = {
  defaultModel: 'Default model',
  compactionModel: 'Model for summaries',
  pictureModel: 'Model for pictures',
  modelWindowOverrides: 'Context windows',
  shareLocalModels: 'Share models with other programs',
  localParallelRequests: 'Requests at the same time',

  monthBudget: 'Monthly budget',
  personBudget: 'Monthly budget per person',
  conversationBudget: 'Budget per conversation',

  maxContextTokens: 'Maximum context used',
  outputReserve: 'Reserve for the answer',

  maxSteps: 'Steps in a turn',
  turnTimeLimitMs: 'Time for a turn',

  strategy: 'Strategy',
  autoCompact: 'Automatic compaction',
  backgroundSummaries: 'Summaries in the background',
  proactiveThreshold: 'Early summary: threshold',
  middleRemovalThreshold: 'Middle removal: threshold',
  pruningAgentThreshold: 'Pruning agent: threshold',
  pruningAgentModel: 'Pruning agent: model',

  pruneProtect: 'Newest outputs protected',
  pruneMinimum: 'Minimum saving of a prune',
  minTurnsToKeep: 'Newest turns kept',

  toolPolicies: 'What tools may do',
  toolBulkLimit: 'Items changed without asking',
  toolDefinitionsLimit: 'Definitions of tool servers',
  toolExecution: 'Order of tool calls',
  toolTimeoutMs: 'Time for a tool call',
  toolOutputLimit: 'All outputs of a step',
  toolMaxOutputChars: 'One output',
  toolOutputChars: 'One output, tool by tool',

  siteAliases: 'Other addresses of the site',
};

/** Texts for the values of choices. */
const choices = {
  sequential: { name: 'One after the other', effect: 'In the order in which the model asked for them.' },
  parallel: { name: 'At the same time', effect: 'Calls that only read run together; one that writes runs alone.' },
};

/** Texts of the settings page. The descriptions of settings come from the server. */
export const settingsStrings = inYourLanguage('settingsStrings', {
  title: 'Settings',
  intro: 'Saved values apply from the next step on and take precedence over the environment.',
  loading: 'Loading the settings…',
  failed: 'The settings could not be loaded.',
  index: 'Groups of settings',
  groups,
  labels,
  choices,
  search: 'Search settings',
  matches: (count: number) => plural(count, 'setting'),
  noMatch: (query: string) => `No setting matches “${query}”.`,
  clearSearch: 'Show all settings',
  more: (count: number) => `Show ${plural(count, 'finer setting')}`,
  fewer: 'Show fewer',
  sources: {
    default: 'Default',
    env: 'From the environment',
    stored: 'Set here',
    changed: 'Not saved yet',
  },
  quoted: (label: string) => `“${label}”`,
  range: (range: string) => `Range ${range}`,
  defaultIs: (value: string) => `default ${value}`,
  noDefault: 'default none',
  resetTo: { default: 'Back to the default', env: 'Back to the environment value' },
  resetLabel: (label: string, action: string) => `${label}: ${action.toLowerCase()}`,
  undo: 'Undo the change',
  on: 'On',
  off: 'Off',
  problems: {
    whole: (min: number, max: number) => `Must be a whole number from ${number.format(min)} to ${number.format(max)}.`,
    number: (min: number, max: number) => `Must be a number from ${number.format(min)} to ${number.format(max)}.`,
    empty: 'Must not be empty.',
    spaces: 'A model id has no spaces.',
    origins: 'Enter addresses like https://www.kiln.example, separated by commas.',
    within: (key: string, problem: string) => `${key}: ${problem}`,
  },
  model: {
    words: { __auto__: 'Automatic', __same__: 'Same as the conversation’s' },
    search: 'Find a model or type its id',
    use: (id: string) => `Use “${id}”`,
    list: 'Models',
    none: 'No model matches.',
    tokens: (size: string) => `${size} tokens`,
    unknown: 'window not known',
  },
  localWindows: {
    title: 'Context windows of local models',
    window: (tokens: string) => `${tokens} tokens`,
    memory: (tokens: string, memory: string) => `${tokens} tokens take ${memory} of memory`,
    learned: 'This context window was learned from the answers of the server.',
    remove: 'Remove the learned window',
    removeOf: (model: string) => `Remove the learned window of ${model}`,
  },
  record: {
    none: { model: 'No model has a window of its own.', tool: 'No tool has a limit of its own.' },
    key: { model: 'Model', tool: 'Tool' },
    value: { model: 'Tokens', tool: 'Characters' },
    add: 'Add',
    pick: { model: 'Choose a model', tool: 'Choose a tool' },
    remove: (key: string) => `Remove ${key}`,
    removal: 'Remove',
  },
  tools: {
    policies: { always: 'Runs', ask: 'Asks first', off: 'Off' },
    writes: 'changes the site',
    asks: 'changes the site · asks first by default',
    exempt: 'never cleared',
    unknown: 'This tool no longer exists.',
    policyOf: (tool: string) => `${tool}: may it run?`,
  },
  standing: {
    title: 'Standing instructions',
    body: 'The voice, words and rules that the assistant follows on this site. They are part of every request in every conversation, whatever is summarized.',
    empty:
      'Nothing yet. For example the rule “Never promise a delivery date.” You can also tell the assistant: “On this site, never promise a delivery date”; it asks before it saves it.',
    voice: {
      title: 'Voice',
      body: 'Who is speaking, and how.',
      example:
        'We are a small pottery studio. Warm, plain, first person plural; British spelling; no exclamation marks.',
    },
    glossary: {
      title: 'Words',
      body: 'How words are written here, and what they mean.',
      add: 'Add a word',
      row: (place: number) => `Word ${number.format(place)}`,
      meaningOf: (name: string) => `${name}: how it is used`,
      termExample: 'Saltmarsh',
      meaningExample: 'Our green glaze; one word, capital S',
    },
    rules: {
      title: 'Rules',
      body: 'One sentence each: “Never …”, “Always …”.',
      add: 'Add a rule',
      row: (place: number) => `Rule ${number.format(place)}`,
      example: 'Never promise a delivery date.',
    },
    up: (name: string) => `Move up: ${name}`,
    down: (name: string) => `Move down: ${name}`,
    remove: (name: string) => `Remove: ${name}`,
    tokens: (tokens: number, most: number) =>
      `${number.format(tokens)} of at most ${plural(most, 'token')}, in every request`,
    save: 'Save the instructions',
    saved: 'Standing instructions saved: they apply from the next step on',
    undo: 'Undo',
    undone: 'Undone: the standing instructions are as they were before',
    overtaken:
      'Nothing was saved: the standing instructions were changed elsewhere in the meantime. Discard loads the stored version; first copy what you want to keep.',
  },
  toolServers: {
    title: 'Tool servers',
    body: 'Servers that speak the Model Context Protocol: the assistant can use their tools beside its own. Their descriptions and results reach the model, so add only servers that you trust.',
    loadFailed: 'The tool servers could not be loaded.',
    empty: 'No tool server yet. A server is an address, or a program that runs on this machine.',
    add: 'Add a tool server',
    cost: (tools: number, tokens: number) => `${plural(tools, 'tool')}, ${plural(tokens, 'token')}`,
    total: (tokens: number) => `${plural(tokens, 'token')} of definitions, sent with every request.`,
    onDemand: (tokens: number, limit: number) =>
      `${plural(tokens, 'token')} of definitions exceed the limit of ${number.format(limit)}: the assistant searches for tools and loads them when it needs them.`,
    share: 'For a model with a small window, the limit is a tenth of its usable tokens.',
    status: { connecting: 'Connecting…', ready: 'Connected', failed: 'Not connected', off: 'Switched off' },
    kinds: { http: 'Address', sse: 'Address (SSE)', stdio: 'Program' },
    policy: 'Its tools',
    policyOf: (name: string) => `${name}: may its tools run?`,
    policies: { always: 'Run', ask: 'Ask first', off: 'Off' },
    enabledOf: (name: string) => `${name}: connected`,
    tools: (count: number) => `Show ${plural(count, 'tool')}`,
    toolPolicies: { always: 'runs', ask: 'asks first', off: 'off' },
    overridden: 'set for this tool',
    hint: 'Permissions of single tools are set under Tools, “What tools may do”.',
    edit: 'Edit',
    editOf: (name: string) => `Edit ${name}`,
    test: 'Test',
    testOf: (name: string) => `Test ${name}`,
    testing: 'Connecting…',
    answers: (tools: number, tokens: number) => `Connected: ${plural(tools, 'tool')}, ${plural(tokens, 'token')}.`,
    remove: 'Remove',
    removeOf: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove ${name}?`,
    removeBody: 'Its tools are no longer offered. Their calls and results in conversations stay.',
    form: {
      addTitle: 'Add a tool server',
      editTitle: (name: string) => `Edit ${name}`,
      name: 'Name',
      nameHint: 'Prefix for the names of its tools: github__create_issue. Lower-case letters, digits, hyphens.',
      site: 'For conversations about',
      siteHint: 'A server of one client should be for that site only.',
      allSites: 'All sites',
      kind: 'Connection',
      url: 'Address',
      headers: 'Headers',
      addHeader: 'Add a header',
      command: 'Program',
      commandHint: 'It runs on this machine with the permissions of this server.',
      args: 'Arguments, one per line',
      env: 'Variables',
      addVariable: 'Add a variable',
      secretHint:
        'A value can name an environment variable that begins with MCP_, like ${MCP_TOKEN}; then it is not stored. Values are never shown again.',
      pairName: (place: number) => `Name ${number.format(place)}`,
      pairValue: (name: string) => `Value of ${name}`,
      stored: 'stored; type to replace it',
      removePair: (name: string) => `Remove ${name}`,
      programsOff: 'Programs are disabled here (MCP_STDIO=off, the default with accounts).',
      test: 'Test the connection',
      save: 'Save',
      saving: 'Saving…',
    },
  },
  mail: {
    title: 'Mail',
    body: 'Invitations, links for a forgotten password and what waits for approval are mailed through this server, set by SMTP_URL and MAIL_FROM.',
    unset:
      'No mail server is set, so nothing is mailed: invitations and new passwords come as a link to hand over. Set SMTP_URL (smtps://name:password@mail.example) and MAIL_FROM, and start the server again.',
    server: 'Mail server',
    from: 'Sender',
    to: 'Send a test mail to',
    send: 'Send',
    sending: 'Sending…',
  },
  process: {
    title: 'Environment',
    body: 'Read once, when the server starts. To change a value, set its variable and restart the server.',
    secretSet: 'set, not shown',
    unset: 'not set',
    default: (value: string) => `default ${value}`,
  },
  save: {
    label: 'Unsaved changes',
    changes: (count: number) => plural(count, 'unsaved change'),
    wrong: (count: number) => `${plural(count, 'setting')} to correct`,
    save: 'Save',
    saving: 'Saving…',
    discard: 'Discard',
    saved: (count: number) => `${plural(count, 'setting')} saved`,
    refused: 'Nothing was saved: see the marked settings.',
    failed: (reason: string) => `Nothing was saved: ${reason}`,
  },
  leave: {
    title: 'Leave without saving?',
    body: (count: number) => `${plural(count, 'change')} would be lost.`,
    leave: 'Leave',
  },
  percent: (share: number) => `${number.format(Math.round(share * 10_000) / 100)} %`,
});

/** Texts for a value of a choice; null for a value without texts. */
export function choiceWords(name: string): { readonly name: string; readonly effect: string } | null {
  return name in strategyWords ? strategyWords[name as StrategyName] : (wordOf(settingsStrings.choices, name) ?? null);
}
