import { MAX_IMPORT_BYTES } from '#components/library/import-limit';
import type { ImportedKind, ImportStatus } from '#server/core/imports';

const number = new Intl.NumberFormat('en-US');
const MOST = `${MAX_IMPORT_BYTES / 1_000_000} MB`;

const kinds: Record<ImportedKind, string> = {
  page: 'Pages',
  post: 'Posts',
  picture: 'Pictures',
  menu: 'Menu items',
  settings: 'Site settings',
};

const statuses: Record<ImportStatus, string> = {
  running: 'Under way',
  complete: 'Complete',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** Every sentence about bringing a site in and taking it out. */
export const importStrings = {
  title: 'Import and export',
  tab: 'Import and export',
  shortTab: 'Import',
  intro: 'Bring in a site that you have elsewhere, or take everything of this one with you.',
  number: (count: number) => number.format(count),
  import: {
    title: 'Import',
    body: 'Takes an export of WordPress (.xml) or of Throughline (.json). What is here stays; what comes in is added.',
    drop: 'Drop an export file here',
    choose: 'Choose a file',
    accepted: `A WordPress export (.xml) or our own (.json), up to ${MOST}`,
    where: 'Where do I get the file in WordPress?',
    steps: [
      'Sign in to WordPress as an administrator.',
      'Open Tools, then Export.',
      'Choose “All content” and press “Download Export File”.',
      'Bring the .xml file here. If the download is a .zip, open it first.',
    ],
    again: 'Another file',
    pictures: 'Also fetch the pictures from the old site',
    picturesHint:
      'The file only says where pictures are. Without this they stay where they are, and are gone from here when the old site is.',
    settings: 'Take its name, tagline and menu in place of those here',
    settingsHint: 'Without this, the menu is only taken where there is none yet.',
    look: 'Look first',
    looking: 'Looking…',
    start: 'Import',
    starting: 'Sending…',
    sending: (filename: string) => `Sending ${filename}`,
    notAnExport: 'This is not an export: choose a .xml file of WordPress or a .json file of Throughline.',
    zipped: 'This is a .zip file: open it first, and bring the .xml file that is in it.',
    tooLarge: `Larger than ${MOST}. In WordPress, export pages and posts one after the other, and import both files. On the server, “npm run import” takes files of any size.`,
    empty: 'This file is empty.',
    bytes: (size: number) =>
      size < 1_000_000
        ? `${number.format(Math.max(1, Math.round(size / 1_000)))} kB`
        : `${(size / 1_000_000).toFixed(1)} MB`,
  },
  preview: {
    title: 'What this import would do',
    body: 'Nothing has been written yet.',
    nothing: 'Nothing new: all of this is here already, as it is in the file.',
  },
  run: {
    running: (filename: string) => `Importing ${filename}`,
    progress: (done: number, total: number) =>
      total === 0 ? 'Reading the file' : `${number.format(done)} of ${number.format(total)}`,
    time: (time: string) => `for ${time}`,
    took: (time: string) => `took ${time}`,
    leave: 'You may leave this page: it goes on.',
    cancel: 'Cancel',
    cancelling: 'Cancelling…',
    nothing: 'Nothing new: all of this was here already.',
    taken: (created: number, updated: number) =>
      [
        ...(created > 0 ? [`${number.format(created)} new`] : []),
        ...(updated > 0 ? [`${number.format(updated)} changed`] : []),
      ].join(', '),
    failed: 'The import did not come to its end.',
    cancelled: 'Cancelled. What had been taken by then is here.',
    changes: 'What it changed',
    changesLabel: (filename: string) => `What it changed: ${filename}`,
    undo: 'Take this import back',
    undoLabel: (filename: string) => `Take this import back: ${filename}`,
    undoTitle: (filename: string) => `Take the import of ${filename} back?`,
  },
  report: {
    label: 'Report',
    kind: 'What',
    created: 'New',
    updated: 'Changed',
    unchanged: 'As before',
    notTaken: 'Not taken',
    kinds,
    sections: 'Sections',
    sectionCount: (type: string, count: number) => `${number.format(count)} ${type}`,
    altered: 'Taken otherwise than it was',
    left: 'Not taken',
    allTaken: 'Everything in the file was taken, as it was.',
    showAll: (count: number) => `Show all ${number.format(count)}`,
    ofHowMany: (count: number) => number.format(count),
  },
  past: {
    title: 'Past imports',
    empty: 'Nothing has been imported yet.',
    noOther: 'Nothing before this one.',
    loading: 'Loading the imports…',
    failed: 'The imports could not be loaded.',
    retry: 'Try again',
    statuses,
  },
  export: {
    title: 'Export',
    body: 'One JSON file with all pages and posts (drafts too), the menu, the settings of the site and its pictures. It can be imported here, or into another Throughline.',
    without: 'Conversations, accounts, keys, the trash and earlier versions are not in it.',
    media: 'With the pictures themselves',
    mediaHint: 'Without them the file is small, and only says which pictures there are.',
    download: 'Download the export',
  },
} as const;
