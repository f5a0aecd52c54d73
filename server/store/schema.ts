/* Every table, by what it is about. Times are epoch milliseconds. JSON columns are checked by the codecs on read. */

export * from '#server/store/schema/sessions';
export * from '#server/store/schema/turns';
export * from '#server/store/schema/content';
export * from '#server/store/schema/wordpress';
export * from '#server/store/schema/people';
export * from '#server/store/schema/installation';
