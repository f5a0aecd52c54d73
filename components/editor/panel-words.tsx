import { number } from '#components/figures';
import { inYourLanguage } from '#components/in-your-language';
import { withArticle } from '#server/core/visible-text';

/** Texts of the panel, the page settings, and of what adds sections and pages. */
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
  open: 'Page settings',
  title: 'Page settings',
  loading: 'Loading the page…',
  address: 'Address',
  addressSave: 'Change the address',
  addressHome: 'This is the home page: visitors find it at the root of the site.',
  addressDraft: 'It is not published, so nobody knows the former address.',
  addressRedirect: (path: string) => `Once it is published, ${path} leads on to the new address.`,
  addressLost: (path: string) => `Once it is published, ${path} leads nowhere: this CMS does not lead on.`,
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
  changePlan: 'Change',
});

/** Texts of adding a section. */
export const addSectionStrings = inYourLanguage('addSectionStrings', {
  title: 'Add a section',
  kinds: 'Kinds of sections',
  added: (kind: string) => `Added: ${kind}`,
});

/** Texts of making a page. */
export const newPageStrings = inYourLanguage('newPageStrings', {
  open: 'New page',
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
  made: (title: string) => `“${title}” is there as a draft`,
});
