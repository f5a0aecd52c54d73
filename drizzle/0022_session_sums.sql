CREATE TABLE `seen_places` (
	`session_id` text NOT NULL,
	`key` text NOT NULL,
	`revision` integer NOT NULL,
	PRIMARY KEY(`session_id`, `key`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `sessions` ADD `cost` real;--> statement-breakpoint
ALTER TABLE `sessions` ADD `message_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `removed_tokens` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- From here on written by hand. Triggers keep what would be added up from a whole session, so that no writer can forget
-- it. `server/store/session-sums.test.ts` compares it with a full look. A later migration that rebuilds
-- messages, message_parts or compactions drops these triggers: it must repeat them at its end.
UPDATE `sessions` SET
  `cost` = (SELECT sum(CASE WHEN json_valid(`usage`) THEN json_extract(`usage`, '$.cost') END) FROM (
    SELECT `usage` FROM `messages` WHERE `session_id` = `sessions`.`id` AND coalesce(substr(`superseded_by`, 1, 4), '') <> 'imp_'
    UNION ALL SELECT `usage` FROM `compactions` WHERE `session_id` = `sessions`.`id`)),
  `message_count` = (SELECT count(*) FROM `messages` WHERE `session_id` = `sessions`.`id` AND `is_summary` = 0 AND `superseded_by` IS NULL),
  `removed_tokens` = (SELECT coalesce(sum(max(0, `tokens_before` - `tokens_after`)), 0) FROM `compactions` WHERE `session_id` = `sessions`.`id` AND `status` = 'completed');
--> statement-breakpoint
INSERT INTO `seen_places` SELECT p.`session_id`, seen.`key`, max(seen.`value`)
FROM `message_parts` p JOIN `messages` m ON m.`id` = p.`message_id`
  JOIN json_each(CASE WHEN json_valid(p.`content`) THEN p.`content` ELSE '{}' END, '$.seen') seen
WHERE p.`type` = 'tool-result' AND instr(p.`content`, '"seen"') > 0 AND m.`superseded_by` IS NULL
GROUP BY 1, 2;
--> statement-breakpoint
CREATE TRIGGER `messages_sums_insert` AFTER INSERT ON `messages` WHEN coalesce(substr(new.`superseded_by`, 1, 4), '') <> 'imp_' BEGIN
  UPDATE `sessions` SET `message_count` = `message_count` + (new.`is_summary` = 0 AND new.`superseded_by` IS NULL) WHERE `id` = new.`session_id`;
  UPDATE `sessions` SET `cost` = coalesce(`cost`, 0) + json_extract(new.`usage`, '$.cost')
  WHERE `id` = new.`session_id` AND CASE WHEN json_valid(new.`usage`) THEN json_extract(new.`usage`, '$.cost') END IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `messages_sums_usage` AFTER UPDATE OF `usage` ON `messages`
WHEN new.`usage` IS NOT old.`usage` AND coalesce(substr(new.`superseded_by`, 1, 4), '') <> 'imp_' BEGIN
  UPDATE `sessions` SET `cost` = coalesce(`cost`, 0)
    + coalesce(CASE WHEN json_valid(new.`usage`) THEN json_extract(new.`usage`, '$.cost') END, 0)
    - coalesce(CASE WHEN json_valid(old.`usage`) THEN json_extract(old.`usage`, '$.cost') END, 0)
  WHERE `id` = new.`session_id` AND (CASE WHEN json_valid(new.`usage`) THEN json_extract(new.`usage`, '$.cost') END IS NOT NULL
    OR CASE WHEN json_valid(old.`usage`) THEN json_extract(old.`usage`, '$.cost') END IS NOT NULL);
END;
--> statement-breakpoint
CREATE TRIGGER `messages_sums_standing` AFTER UPDATE OF `superseded_by`, `is_summary` ON `messages` BEGIN
  UPDATE `sessions` SET `message_count` = `message_count` + (new.`superseded_by` IS NULL AND new.`is_summary` = 0)
    - (old.`superseded_by` IS NULL AND old.`is_summary` = 0)
  WHERE `id` = new.`session_id`;
  UPDATE `sessions` SET `cost` = coalesce(`cost`, 0) + json_extract(new.`usage`, '$.cost')
  WHERE `id` = new.`session_id` AND new.`superseded_by` IS NULL AND substr(old.`superseded_by`, 1, 4) = 'imp_'
    AND CASE WHEN json_valid(new.`usage`) THEN json_extract(new.`usage`, '$.cost') END IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `compactions_sums_insert` AFTER INSERT ON `compactions` BEGIN
  UPDATE `sessions` SET `removed_tokens` = `removed_tokens` + (new.`status` = 'completed') * max(0, new.`tokens_before` - new.`tokens_after`)
  WHERE `id` = new.`session_id`;
  UPDATE `sessions` SET `cost` = coalesce(`cost`, 0) + json_extract(new.`usage`, '$.cost')
  WHERE `id` = new.`session_id` AND CASE WHEN json_valid(new.`usage`) THEN json_extract(new.`usage`, '$.cost') END IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `compactions_sums_status` AFTER UPDATE OF `status` ON `compactions` WHEN new.`status` <> old.`status` BEGIN
  UPDATE `sessions` SET `removed_tokens` = `removed_tokens`
    + ((new.`status` = 'completed') - (old.`status` = 'completed')) * max(0, new.`tokens_before` - new.`tokens_after`)
  WHERE `id` = new.`session_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `message_parts_seen_insert` AFTER INSERT ON `message_parts`
WHEN new.`type` = 'tool-result' AND instr(new.`content`, '"seen"') > 0 BEGIN
  INSERT INTO `seen_places` SELECT new.`session_id`, seen.`key`, seen.`value`
  FROM json_each(CASE WHEN json_valid(new.`content`) THEN new.`content` ELSE '{}' END, '$.seen') seen WHERE true
  ON CONFLICT (`session_id`, `key`) DO UPDATE SET `revision` = max(`revision`, excluded.`revision`);
END;
--> statement-breakpoint
CREATE TRIGGER `message_parts_seen_update` AFTER UPDATE OF `content` ON `message_parts`
WHEN new.`type` = 'tool-result' AND instr(new.`content`, '"seen"') > 0 BEGIN
  INSERT INTO `seen_places` SELECT new.`session_id`, seen.`key`, seen.`value`
  FROM json_each(CASE WHEN json_valid(new.`content`) THEN new.`content` ELSE '{}' END, '$.seen') seen WHERE true
  ON CONFLICT (`session_id`, `key`) DO UPDATE SET `revision` = max(`revision`, excluded.`revision`);
END;
