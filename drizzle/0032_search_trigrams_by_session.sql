-- Written by hand: drizzle-kit knows neither views, triggers nor FTS5.
--
-- The index of trigrams with the session of each row, so that a search in one session reads the rows of this session
-- only. The index knows nothing but sequences of three characters, so a session is three characters for private use that
-- are computed from the last six of its id. Sessions with the same ones are told apart by their rows. The view also
-- includes rare blocks of the scripts. The index is filled anew in batches while the server runs (0031).
DROP TRIGGER `searchable_parts_trigrams_insert`;
--> statement-breakpoint
DROP TRIGGER `searchable_parts_trigrams_delete`;
--> statement-breakpoint
DROP TABLE `history_search_trigrams`;
--> statement-breakpoint
DROP VIEW `unspaced_part_texts`;
--> statement-breakpoint
-- The characters from the first to the last of each block: Thai and Lao, Myanmar, Khmer, Han, Hiragana and Katakana.
CREATE VIEW `unspaced_part_texts` AS
SELECT
  `part_id`,
  `session_id`,
  char(57344 + coalesce(unicode(substr(`session_id`, -2, 1)), 0) % 80 * 80 + coalesce(unicode(substr(`session_id`, -1, 1)), 0) % 80) ||
  char(57344 + coalesce(unicode(substr(`session_id`, -4, 1)), 0) % 80 * 80 + coalesce(unicode(substr(`session_id`, -3, 1)), 0) % 80) ||
  char(57344 + coalesce(unicode(substr(`session_id`, -6, 1)), 0) % 80 * 80 + coalesce(unicode(substr(`session_id`, -5, 1)), 0) % 80) AS `session_mark`,
  `text`
FROM `part_texts`
WHERE `text` GLOB '*[' || char(3584, 45, 3839) || char(4096, 45, 4255) || char(6016, 45, 6143) || char(6624, 45, 6655) || char(11904, 45, 12255) || char(12293, 45, 12295) || char(12321, 45, 12329) || char(12344, 45, 12347) || char(12352, 45, 12543) || char(12784, 45, 12799) || char(13008, 45, 13143) || char(13312, 45, 19903) || char(19968, 45, 40959) || char(43488, 45, 43519) || char(43616, 45, 43647) || char(63744, 45, 64255) || char(65382, 45, 65439) || char(71376, 45, 71423) || char(94178, 45, 94207) || char(110576, 45, 110959) || char(127488, 45, 127488) || char(131072, 45, 262143) || ']*';
--> statement-breakpoint
CREATE VIRTUAL TABLE `history_search_trigrams` USING fts5(
  `session`,
  `text`,
  content = '',
  contentless_delete = 1,
  tokenize = 'trigram'
);
--> statement-breakpoint
CREATE TRIGGER `searchable_parts_trigrams_insert` AFTER INSERT ON `searchable_parts` BEGIN
  INSERT OR REPLACE INTO `history_search_trigrams` (`rowid`, `session`, `text`)
  SELECT new.`id`, `session_mark`, `text` FROM `unspaced_part_texts` WHERE `part_id` = new.`part_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `searchable_parts_trigrams_delete` AFTER DELETE ON `searchable_parts` BEGIN
  DELETE FROM `history_search_trigrams` WHERE `rowid` = old.`id`;
END;
--> statement-breakpoint
INSERT OR REPLACE INTO `history_search_backlog` (`id`, `until_row`)
SELECT 1, max(`id`) FROM `searchable_parts` HAVING max(`id`) IS NOT NULL;
