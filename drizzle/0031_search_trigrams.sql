CREATE TABLE `history_search_backlog` (
	`id` integer PRIMARY KEY NOT NULL,
	`until_row` integer NOT NULL
);
--> statement-breakpoint
-- From here on written by hand: drizzle-kit knows neither views, triggers nor FTS5.
--
-- A second full-text index, of trigrams, for scripts without spaces between words, which the index of words takes for
-- one word. It holds only texts with such characters. Triggers keep it, as they keep the index of words (0002). Older
-- texts are added in batches while the server runs (server/conversation/store/search/trigram-index.ts); until then
-- `history_search_backlog` names the rows that are missing.
CREATE VIEW `unspaced_part_texts` AS
SELECT `part_id`, `session_id`, `text`
FROM `part_texts`
-- The characters from the first to the last of each block: Thai, Lao, Myanmar, Khmer, Han, Hiragana and Katakana.
WHERE `text` GLOB '*[' || char(3584, 45, 3839) || char(4096, 45, 4255) || char(6016, 45, 6143) || char(11904, 45, 12255) || char(12293, 45, 12295) || char(12321, 45, 12329) || char(12344, 45, 12347) || char(12352, 45, 12543) || char(12784, 45, 12799) || char(13312, 45, 19903) || char(19968, 45, 40959) || char(63744, 45, 64255) || char(65382, 45, 65439) || char(131072, 45, 201551) || ']*';
--> statement-breakpoint
CREATE VIRTUAL TABLE `history_search_trigrams` USING fts5(
  `text`,
  content = '',
  contentless_delete = 1,
  tokenize = 'trigram'
);
--> statement-breakpoint
CREATE TRIGGER `searchable_parts_trigrams_insert` AFTER INSERT ON `searchable_parts` BEGIN
  INSERT OR REPLACE INTO `history_search_trigrams` (`rowid`, `text`)
  SELECT new.`id`, `text` FROM `unspaced_part_texts` WHERE `part_id` = new.`part_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `searchable_parts_trigrams_delete` AFTER DELETE ON `searchable_parts` BEGIN
  DELETE FROM `history_search_trigrams` WHERE `rowid` = old.`id`;
END;
--> statement-breakpoint
INSERT INTO `history_search_backlog` (`id`, `until_row`)
SELECT 1, max(`id`) FROM `searchable_parts` HAVING max(`id`) IS NOT NULL;
