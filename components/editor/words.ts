import { number, plural } from '#components/format.ts';
import { inYourLanguage } from '#components/in-your-language.ts';
import { withArticle } from '#server/core/site/field-names';

/** Texts about choosing, moving and listing the sections of a page. */
export const pointStrings = inYourLanguage('pointStrings', {
  surface: 'Sections of the page',
  surfaceHelp:
    'Arrow up and down choose a section, Enter writes in it, Alt with an arrow moves it, Delete removes it, Escape deselects it.',
  /** Hint over a text. */
  hint: 'Double-click to write here',
  section: (kind: string, name: string) => (name === '' ? kind : `${kind}: ${name}`),
  bar: (kind: string) => `${kind}: what to do`,
  ask: 'Ask about this',
  askShort: 'Ask',
  edit: 'Edit',
  /** For a block that only the CMS can edit. */
  editInCms: 'Edit in WordPress',
  up: 'Move up',
  down: 'Move down',
  drag: 'Drag to move',
  duplicate: 'Duplicate',
  remove: 'Remove',
  openLink: 'Open the link',
  /** For a draft in a separate tab. */
  toAssistant: 'Open in the assistant',
  tools: 'Editing',
  letGo: 'Deselect',
  chosen: (what: string) => `Chosen: ${what}`,
  moved: (place: number, count: number) => `Moved to place ${number.format(place)} of ${number.format(count)}.`,
  removed: (what: string) => `Removed: ${what}`,
  /** In the message field. */
  chip: 'Goes with the message',
  words: (text: string) => `“${text}”`,
  selected: 'Selected words',
  leaveOut: (what: string) => `Leave out: ${what}`,
  outline: {
    mode: 'What a click on the page does',
    modes: { edit: 'Edit', look: 'Browse' },
    title: 'Outline',
    help: 'Arrows go through the sections, Enter edits, Alt with an arrow moves, Delete removes. Drag a row to move it.',
    empty: 'This page has no sections yet.',
    add: 'Add a section',
    settings: 'Page settings',
    loading: 'Loading…',
    drag: 'Drag to move',
  },
});

/** Texts about automatic saving, others on the page, undo and redo. */
export const savingStrings = inYourLanguage('savingStrings', {
  save: {
    saved: 'Saved',
    waiting: 'Not saved yet',
    offline: 'Not saved: no connection. It is stored in this browser and saved when the connection is back.',
    saving: 'Saving…',
    failed: (problem: string) => `Not saved: ${problem}`,
    failedShort: 'Not saved',
    conflict: 'Also changed by someone else',
    retry: 'Save again',
  },
  conflict: {
    title: 'Two versions of this text',
    body: (who: string) =>
      `While you wrote, ${who} saved another text in the same place. Which one do you want to keep?`,
    gone: (who: string) => `While you wrote, ${who} removed this section. You can copy your text from here.`,
    somebody: 'someone else',
    byAssistant: 'the assistant',
    mine: 'Yours',
    theirs: 'Theirs',
    theirsBy: (who: string) => `By ${who}`,
    nothing: 'Nothing: the text was removed.',
    keepMine: 'Keep mine',
    keepTheirs: 'Keep theirs',
    copy: 'Copy mine',
    copied: 'Your text is copied',
    letGo: 'Discard mine',
    leave: 'Decide later',
  },
  presence: {
    label: 'Also on this page',
    /** Shown instead of initials. */
    me: 'You',
    nobody: '?',
    here: (who: string | null) => `${who ?? 'Somebody'} is on this page`,
    writes: (who: string | null) => `${who ?? 'Somebody'} is writing`,
    hereMyself: 'You have this page open in another window',
    writesMyself: 'You are writing in another window',
    more: (count: number) => `and ${plural(count, 'more person', 'more people')}`,
  },
  undo: {
    nothing: 'There is nothing to undo.',
    nothingToRedo: 'There is nothing to redo.',
  },
});

/** Texts at a text that is edited in place. */
export const writingStrings = inYourLanguage('writingStrings', {
  /** Accessible name of a text. */
  label: (field: string, kind: string | null) => (kind === null ? field : `${field} (${kind})`),
  hint: 'Saves automatically. Press Esc to finish.',
  saved: 'Saved',
  waiting: 'Not saved yet',
  saving: 'Saving…',
  conflict: 'Also changed by someone else',
  failed: (reason: string) => `Not saved: ${reason}`,
  notNow: 'Not saved. Trying again.',
  giveUp: (problem: string) => `${problem} Press Esc again to restore the saved text.`,
  left: (left: number) => `${number.format(left)} left`,
  over: (over: number) => `${number.format(over)} too many`,
});

/** Texts of the section panel. */
export const panelStrings = inYourLanguage('panelStrings', {
  close: 'Close',
  panel: 'Section',
  loading: 'Loading the section…',
  gone: 'This section is no longer on the page.',
  field: {
    left: (left: number) => `${number.format(left)} left`,
    over: (over: number) => `${number.format(over)} too many`,
    optional: 'optional',
    number: (min: number | null, max: number | null) => `must be a whole number from ${min ?? 0} to ${max ?? 'any'}`,
  },
  list: {
    add: (item: string) => `Add ${withArticle(item.toLowerCase())}`,
    untitled: (item: string, place: number) => `${item} ${number.format(place)}`,
    move: (title: string) => `Move ${title}`,
    moveHint: 'Arrow keys move it up and down.',
    moved: (title: string, place: number, count: number) => `${title}: place ${place} of ${count}`,
    remove: (title: string) => `Remove ${title}`,
    unfinished: 'Not saved: something is missing',
    full: (max: number) => `At most ${number.format(max)}.`,
    empty: 'None yet.',
  },
  texts: {
    add: 'Add',
    remove: (text: string) => `Remove ${text}`,
    hint: 'Enter adds it.',
  },
  picture: {
    choose: 'Choose from the library',
    replace: 'Choose another',
    upload: 'From this computer',
    none: 'No picture',
    remove: 'Remove the picture',
    address: 'Address of the picture',
    uploading: (filename: string) => `Uploading ${filename}`,
    drop: 'Or drop a picture here.',
    dialog: 'Choose a picture',
    part: 'A part of it is shown.',
    crop: {
      open: 'Crop …',
      title: 'Crop and focal point',
      hint: 'Drag the frame around what is shown, and the point to what must stay in sight. The picture itself stays as it is.',
      whole: 'Show all of it',
      middle: 'Point to the middle',
      save: 'Use this part',
      point: (x: number, y: number) =>
        `Focal point: ${String(x)} % from the left, ${String(y)} % from the top. Arrow keys move it.`,
      handles: {
        cropArea: 'Part that is shown. Arrow keys move it.',
        nwDragHandle: 'Upper left corner. Arrow keys move it.',
        nDragHandle: 'Upper edge. Arrow keys move it.',
        neDragHandle: 'Upper right corner. Arrow keys move it.',
        eDragHandle: 'Right edge. Arrow keys move it.',
        seDragHandle: 'Lower right corner. Arrow keys move it.',
        sDragHandle: 'Lower edge. Arrow keys move it.',
        swDragHandle: 'Lower left corner. Arrow keys move it.',
        wDragHandle: 'Left edge. Arrow keys move it.',
      },
    },
  },
});

/** Texts of the page settings. */
export const pageSettingsStrings = inYourLanguage('pageSettingsStrings', {
  title: 'Page settings',
  loading: 'Loading the page…',
  address: 'Address',
  addressSave: 'Change the address',
  addressHome: 'This is the home page: visitors find it at the root of the site.',
  addressDraft: 'It is not published, so nobody knows the former address.',
  addressRedirect: (path: string) => `Once it is published, ${path} leads on to the new address.`,
  addressLost: (path: string) => `Once it is published, ${path} no longer works: this CMS does not redirect it.`,
  addressChanged: (path: string) => `The address is now ${path}`,
  parent: 'Parent page',
  noParent: 'No page',
  parentOption: (title: string, path: string) => `${title} (${path})`,
  search: 'In search engines',
  searchHint: 'About what a search engine shows.',
  searchHidden: 'Search engines are asked to leave this page out.',
  noDescription: 'No description: a search engine takes some words of the page.',
  schedule: 'Publication',
  scheduled: (when: string) => `Published by itself: ${when}`,
  notScheduled: 'Published when you say so.',
  plan: 'Schedule',
  changeSchedule: 'Change',
});

/** Texts of adding a section. */
export const addSectionStrings = inYourLanguage('addSectionStrings', {
  title: 'Add a section',
  kinds: 'Kinds of sections',
  added: (kind: string) => `Added: ${kind}`,
});

/** Texts of creating a page. */
export const newPageStrings = inYourLanguage('newPageStrings', {
  title: 'New page or post',
  type: 'What is it?',
  types: { page: 'Page', post: 'Post' },
  name: 'Title',
  start: 'Start with',
  copy: 'A copy of another',
  copyOf: 'Copy of',
  copyTitle: (title: string) => `${title} (copy)`,
  copyHint: 'Text and pictures are taken over as they are in its draft.',
  choose: 'Choose a page or post',
  save: 'Create the draft',
  saving: 'Creating…',
  noName: 'Enter a title.',
  noSource: 'Choose what to copy.',
  made: (title: string) => `Created “${title}” as a draft`,
  /** Templates, each with the texts of its sections. */
  kinds: {
    blank: { name: 'Blank', purpose: 'A title, and nothing else yet.' },
    about: {
      name: 'About',
      purpose: 'Who you are, what you do, and a quote.',
      title: 'About us',
      who: 'Who we are',
      whoBody: 'One sentence that says what you do, for whom, and where.',
      began: 'How it began',
      beganBody: 'Two or three short paragraphs: when you started, why, and what has changed since.',
      quote: 'What somebody says about working with you.',
      author: 'Their name',
    },
    contact: {
      name: 'Contact',
      purpose: 'A form, and how else to reach you.',
      title: 'Contact',
      heading: 'Get in touch',
      body: 'When you answer, and how to reach you otherwise.',
      form: 'Write to us',
      where: 'Where to find us',
      whereBody: 'Your address, opening hours, and the way from the station.',
    },
    offer: {
      name: 'Offer',
      purpose: 'Points in columns, questions, and a call to action.',
      title: 'What we offer',
      body: 'One sentence that says what people get.',
      points: ['First', 'Second', 'Third'],
      point: 'A sentence or two about it.',
      faq: 'Questions',
      question: 'What does it cost?',
      answer: 'The price, and what is included.',
    },
    notFound: {
      name: 'Not found',
      purpose: 'What visitors see at an address without a page. Its own address is /404.',
      heading: 'There is nothing here',
      body: 'The page may have moved, or it never existed.',
      button: 'Back to the start',
    },
    news: {
      name: 'News',
      purpose: 'What is new, in a few paragraphs.',
      heading: 'What is new',
      body: 'The news in one sentence first. Then who, when and where.',
    },
    event: {
      name: 'Event',
      purpose: 'What takes place, when and where, with a button.',
      about: 'What it is about',
      aboutBody: 'What people will see and do.',
      when: 'When and where',
      whenBody: 'Day, time and place. What it costs, and what to bring.',
      come: 'Come along',
      button: 'Book a place',
    },
  },
});

/** Texts of the preview bar about a scheduled publication. */
export const scheduleStrings = inYourLanguage('scheduleStrings', {
  open: 'Schedule',
  planned: (when: string) => `Scheduled: ${when}`,
  scheduledLabel: (when: string, isOlder: boolean) =>
    `Scheduled: ${when}${isOlder ? ', without later changes' : ''}. Change or cancel`,
  older: 'without later changes',
  change: 'Change',
});
