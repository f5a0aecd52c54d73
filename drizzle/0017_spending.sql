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
CREATE INDEX `spending_session_cost` ON `spending` (`session_id`,`cost`);