import { number, plural } from '#components/figures';
import { inYourLanguage } from '#components/in-your-language';
import { MAX_IMPORT_BYTES } from '#server/core/limits';
import type { ImportedKind, ImportStatus } from '#server/core/imports';

const MOST = `${MAX_IMPORT_BYTES / 1_000_000} MB`;

const kinds: Record<ImportedKind, string> = {
  page: 'Pages',
  post: 'Posts',
  picture: 'Pictures',
  menu: 'Menu items',
  settings: 'Site settings',
};

const statuses: Record<ImportStatus, string> = {
  running: 'In progress',
  complete: 'Complete',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** Every sentence about bringing a site in and taking it out. */
export const importStrings = inYourLanguage('importStrings', {
  title: 'Import and export',
  tab: 'Import and export',
  shortTab: 'Import',
  intro: 'Import a site from elsewhere, or export everything on this one.',
  import: {
    title: 'Import',
    body: 'Takes an export of WordPress (.xml) or of Throughline (.json). Existing content stays; imported content is added.',
    drop: 'Drop an export file here',
    choose: 'Choose a file',
    accepted: `A WordPress export (.xml) or our own (.json), up to ${MOST}`,
    where: 'Where do I get the file in WordPress?',
    steps: [
      'Sign in to WordPress as an administrator.',
      'Open Tools, then Export.',
      'Choose “All content” and press “Download Export File”.',
      'Drop the .xml file here. If the download is a .zip, open it first.',
    ],
    again: 'Another file',
    target: 'Into which site?',
    chooseTarget: 'Choose a site',
    check: 'Check what would appear',
    appears: (site: string) => `Visitors of ${site} would see at once:`,
    appearsNothing: (site: string) => `Visitors of ${site} would see nothing of it yet: it only brings drafts.`,
    approve: (site: string) => `Import into ${site}`,
    pictures: 'Also fetch the pictures from the old site',
    picturesHint:
      'The file contains only the addresses of pictures. Without this option they stay on the old site, and disappear from here when it goes offline.',
    ownPictures: 'Import the pictures too',
    ownPicturesHint:
      'The file contains them, unless it was exported without: then they are fetched from where they are. Without this option, pages show them from their old addresses.',
    settings: 'Replace the site name, tagline and menu with those in the file',
    settingsHint: 'Without this option, the menu is imported only if there is none yet.',
    look: 'Preview',
    looking: 'Checking…',
    start: 'Import',
    starting: 'Sending…',
    sending: (filename: string) => `Sending ${filename}`,
    notAnExport: 'This is not an export: choose a .xml file of WordPress or a .json file of Throughline.',
    zipped: 'This is a .zip file: open it first, and choose the .xml file inside.',
    tooLarge: `Larger than ${MOST}. In WordPress, export pages and posts separately, and import both files. On the server, “npm run import” accepts files of any size.`,
    empty: 'This file is empty.',
  },
  preview: {
    title: 'What this import would do',
    body: 'Nothing has been written yet.',
    nothing: 'Nothing new: everything in the file is already here.',
  },
  run: {
    running: (filename: string) => `Importing ${filename}`,
    progress: (done: number, total: number) =>
      total === 0 ? 'Reading the file' : `${number.format(done)} of ${number.format(total)}`,
    time: (time: string) => `for ${time}`,
    took: (time: string) => `took ${time}`,
    leave: 'You can leave this page: the import continues.',
    cancel: 'Cancel',
    cancelling: 'Cancelling…',
    nothing: 'Nothing new: everything was already here.',
    taken: (created: number, updated: number) =>
      [
        ...(created > 0 ? [`${number.format(created)} new`] : []),
        ...(updated > 0 ? [`${number.format(updated)} changed`] : []),
      ].join(', '),
    failed: 'The import did not finish.',
    cancelled: 'Cancelled. Everything imported before that is kept.',
    changes: 'What it changed',
    changesLabel: (filename: string) => `What it changed: ${filename}`,
    undo: 'Undo this import',
    undoLabel: (filename: string) => `Undo this import: ${filename}`,
    undoTitle: (filename: string) => `Undo the import of ${filename}?`,
  },
  report: {
    label: 'Report',
    kind: 'What',
    created: 'New',
    updated: 'Changed',
    unchanged: 'Unchanged',
    notTaken: 'Not imported',
    kinds,
    sections: 'Sections',
    sectionCount: (type: string, count: number) => `${number.format(count)} ${type}`,
    altered: 'Imported with changes',
    left: 'Not imported',
    allTaken: 'Everything in the file was imported unchanged.',
    showAll: (count: number) => `Show all ${number.format(count)}`,
    ofKind: (kind: ImportedKind, count: number) => `${kinds[kind]}: ${number.format(count)}`,
    ofHowMany: (count: number) => number.format(count),
  },
  past: {
    title: 'Past imports',
    empty: 'Nothing has been imported yet.',
    noOther: 'No earlier imports.',
    loading: 'Loading the imports…',
    failed: 'The imports could not be loaded.',
    statuses,
  },
  files: {
    title: 'The site as files',
    body: 'The published site as a ZIP of plain files, which any web server can show. It is checked first.',
    url: 'Address where it will be',
    urlHint: 'Search engines and feeds read it: https://example.org',
    download: 'Check and download',
    checking: 'Checking every page…',
    ready: (pages: number) => `${plural(pages, 'page')} without a broken link or missing picture. The download begins.`,
    problems: (count: number) =>
      `Not exported: ${plural(count, 'broken link or missing picture', 'broken links or missing pictures')}. Correct them, publish, and try again.`,
  },
  export: {
    title: 'Export',
    body: 'One JSON file with all pages and posts (drafts too), the menu, the settings of the site and its pictures. It can be imported here, or into another Throughline.',
    without: 'Conversations, accounts, keys, the trash and earlier versions are not included.',
    media: 'Include the pictures',
    mediaHint: 'Without them the file is small and only lists the pictures.',
    download: 'Download the export',
  },
});
