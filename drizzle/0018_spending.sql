CREATE TABLE `spending` (
	`day` text NOT NULL,
	`user_id` text NOT NULL,
	`session_id` text NOT NULL,
	`model_id` text NOT NULL,
	`kind` text NOT NULL,
	`calls` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`cache_read_tokens` integer NOT NULL,
	`cost` integer NOT NULL,
	`estimated` integer NOT NULL,
	`unpriced` integer NOT NULL,
	`cache_saved` integer NOT NULL,
	`compaction_saved` integer NOT NULL,
	PRIMARY KEY(`day`, `user_id`, `session_id`, `model_id`, `kind`)
);
--> statement-breakpoint
CREATE INDEX `spending_day_cost` ON `spending` (`day`,`user_id`,`cost`);--> statement-breakpoint
CREATE INDEX `spending_session_cost` ON `spending` (`session_id`,`cost`);--> statement-breakpoint
INSERT INTO `spending` SELECT date(m.`created_at` / 1000, 'unixepoch'), s.`owner_id`, m.`session_id`, coalesce(m.`model_id`, ''), 'chat', count(*), sum(coalesce(json_extract(m.`usage`, '$.inputTokens'), 0)), sum(coalesce(json_extract(m.`usage`, '$.outputTokens'), 0)), sum(coalesce(json_extract(m.`usage`, '$.cacheReadTokens'), 0)), sum(cast(round(coalesce(json_extract(m.`usage`, '$.cost'), 0) * 1000000) AS integer)), 0, sum(json_extract(m.`usage`, '$.cost') IS NULL AND coalesce(m.`model_id`, '') NOT LIKE 'local/%'), 0, 0 FROM `messages` m JOIN `sessions` s ON s.`id` = m.`session_id` WHERE json_valid(m.`usage`) AND coalesce(m.`model_id`, '') <> 'throughline/offline' GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO `spending` SELECT date(c.`created_at` / 1000, 'unixepoch'), s.`owner_id`, c.`session_id`, coalesce(c.`model_id`, ''), 'summary', count(*), sum(coalesce(json_extract(c.`usage`, '$.inputTokens'), 0)), sum(coalesce(json_extract(c.`usage`, '$.outputTokens'), 0)), 0, sum(cast(round(coalesce(json_extract(c.`usage`, '$.cost'), 0) * 1000000) AS integer)), 0, sum(json_extract(c.`usage`, '$.cost') IS NULL AND coalesce(c.`model_id`, '') NOT LIKE 'local/%'), 0, 0 FROM `compactions` c JOIN `sessions` s ON s.`id` = c.`session_id` WHERE json_valid(c.`usage`) GROUP BY 1, 2, 3, 4;
