-- Written by hand: drizzle-kit knows neither views, triggers nor FTS5.
--
-- A full-text index of every conversation: texts, tool inputs and tool outputs (also failed ones), reasoning and files
-- left out. The index holds words only (contentless), the text stays in message_parts alone. Triggers keep it, so that
-- no writer can forget it. A part is indexed once it is settled: text that streams is flushed every 100 ms. Messages
-- that still hold legacy content are found once a backfill has given them parts.
--
-- A later migration that rebuilds message_parts drops its triggers: it must drop part_texts first and repeat the view
-- and the three triggers on message_parts at its end (and fails if it forgets the view).

-- What each part is found by. Of JSON the values alone, decoded: in JSON text a word after a line break starts with "n".
-- Inlined files are no words, what was searched or recalled before would only be found again, and content that is no
-- JSON is found by nothing, but stays writable.
CREATE VIEW `part_texts` AS
SELECT
  `id` AS `part_id`,
  `session_id`,
  CASE
    WHEN NOT json_valid(`content`) THEN NULL
    WHEN `type` = 'text' THEN json_extract(`content`, '$.text')
    WHEN json_extract(`content`, '$.toolName') IN ('search_history', 'recall_output') THEN NULL
    WHEN json_extract(`content`, '$.output.type') = 'content' THEN (
      SELECT group_concat(json_extract(`value`, '$.text'), ' ')
      FROM json_each(`message_parts`.`content`, '$.output.value')
      WHERE json_each.`type` = 'object'
    )
    ELSE coalesce(
      (
        SELECT group_concat(`atom`, ' ')
        FROM json_tree(
          `message_parts`.`content`,
          CASE `message_parts`.`type` WHEN 'tool-call' THEN '$.input' ELSE '$.output.value' END
        )
        WHERE json_tree.`type` IN ('text', 'integer', 'real') AND substr(`atom`, 1, 5) <> 'data:'
      ),
      json_extract(`content`, '$.output.reason')
    )
  END AS `text`
FROM `message_parts`
WHERE `type` IN ('text', 'tool-call', 'tool-result') AND `state` IN ('completed', 'error');
--> statement-breakpoint
-- The index names its rows by number, and SQLite may renumber the rows of a table whose key is a text.
CREATE TABLE `searchable_parts` (
  `id` integer PRIMARY KEY NOT NULL,
  `part_id` text NOT NULL UNIQUE
);
--> statement-breakpoint
-- The session is a word of each row, so that a search walks through the rows of its session only.
CREATE VIRTUAL TABLE `history_search` USING fts5(
  `session`,
  `text`,
  content = '',
  contentless_delete = 1,
  tokenize = 'unicode61 remove_diacritics 2'
);
--> statement-breakpoint
CREATE TRIGGER `searchable_parts_insert` AFTER INSERT ON `searchable_parts` BEGIN
  INSERT INTO `history_search` (`rowid`, `session`, `text`)
  SELECT new.`id`, `session_id`, `text` FROM `part_texts` WHERE `part_id` = new.`part_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `searchable_parts_delete` AFTER DELETE ON `searchable_parts` BEGIN
  DELETE FROM `history_search` WHERE `rowid` = old.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `message_parts_search_insert` AFTER INSERT ON `message_parts`
WHEN new.`type` IN ('text', 'tool-call', 'tool-result') AND new.`state` IN ('completed', 'error') BEGIN
  INSERT INTO `searchable_parts` (`part_id`) VALUES (new.`id`);
END;
--> statement-breakpoint
CREATE TRIGGER `message_parts_search_update` AFTER UPDATE OF `content`, `state` ON `message_parts`
WHEN new.`type` IN ('text', 'tool-call', 'tool-result')
  AND (old.`state` IN ('completed', 'error') OR new.`state` IN ('completed', 'error')) BEGIN
  DELETE FROM `searchable_parts` WHERE `part_id` = old.`id`;
  INSERT INTO `searchable_parts` (`part_id`) SELECT new.`id` WHERE new.`state` IN ('completed', 'error');
END;
--> statement-breakpoint
CREATE TRIGGER `message_parts_search_delete` AFTER DELETE ON `message_parts` BEGIN
  DELETE FROM `searchable_parts` WHERE `part_id` = old.`id`;
END;
--> statement-breakpoint
INSERT INTO `searchable_parts` (`part_id`)
SELECT `id` FROM `message_parts`
WHERE `type` IN ('text', 'tool-call', 'tool-result') AND `state` IN ('completed', 'error')
ORDER BY `id`;
