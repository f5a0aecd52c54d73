ALTER TABLE `submissions` ADD `mail_error_message` text;--> statement-breakpoint
ALTER TABLE `compactions` ADD `error_message` text;--> statement-breakpoint
-- Written by hand: the code counts attempts that gained nothing, whose text had to be compared before.
UPDATE `compactions` SET `error_message` = json_object('code', 'compaction-no-gain', 'params', json_object('attempts', nullif(substr(`error`, 52), '')))
WHERE `status` = 'failed' AND `error` LIKE 'No summary would be smaller than what it replaces.%';
