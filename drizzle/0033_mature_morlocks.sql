ALTER TABLE `messages` ADD `error_message` text;--> statement-breakpoint
ALTER TABLE `turns` ADD `error_message` text;